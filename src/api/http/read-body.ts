import type { Readable } from 'node:stream';
import { ServiceError } from '../../app/errors/service-error.js';
import { SlowBodyTimeout, type SlowBodyLimits } from './slow-body-timeout.js';

export interface BodyLimits {
  readonly bytes: number;
  readonly slowBody: SlowBodyLimits;
}

/**
 * Reads a whole request body. A body that is too large is rejected as early as possible, by its Content-Length if it
 * has one, and the rest is discarded.
 * @throws {ServiceError} `body-too-large`, `body-incomplete` or `request-timeout`
 */
export async function readBody(payload: Readable, announced: string | undefined, limits: BodyLimits): Promise<Buffer> {
  if (announced !== undefined && Number(announced) > limits.bytes) throw tooLarge(payload, limits.bytes);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const slowBodyTimeout = new SlowBodyTimeout(limits.slowBody);
    let since = performance.now();
    const giveUp = (): void => {
      fail(new ServiceError('request-timeout', slowBodyTimeout.message));
    };
    let silence = setTimeout(giveUp, slowBodyTimeout.remainingMs);
    const settle = (): void => {
      clearTimeout(silence);
      payload.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost).off('aborted', onLost);
    };
    const fail = (error: ServiceError): void => {
      settle();
      // An error may still be emitted, and there is no other listener.
      payload.on('error', () => undefined);
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      const now = performance.now();
      slowBodyTimeout.waited(now - since, chunk.length);
      since = now;
      clearTimeout(silence);
      silence = setTimeout(giveUp, slowBodyTimeout.remainingMs);
      length += chunk.length;
      if (length > limits.bytes) fail(tooLarge(payload, limits.bytes));
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      settle();
      resolve(Buffer.concat(chunks, length));
    };
    const onLost = (): void => {
      fail(new ServiceError('body-incomplete', 'The connection ended before the whole body arrived.'));
    };
    payload.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost).on('aborted', onLost);
  });
}

function tooLarge(payload: Readable, bytes: number): ServiceError {
  // Discards the rest of the body, so that a client that sends all of it before it reads can read the response.
  payload.resume();
  return new ServiceError('body-too-large', `The body may have at most ${bytes} bytes.`);
}
