import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../app/errors/service-error.js';
import { ReleasedBuffers } from './released-buffers.js';
import { SlowBodyTimeout, type SlowBodyLimits } from './slow-body-timeout.js';

/** Far below any connection that is usable for sending a dump. */
const SLOW_BODY_LIMITS: SlowBodyLimits = { ms: 60_000, bytesPerSecond: 1024 };

/** How long the rest of a rejected body is read and discarded, so that its sender can read the response. */
const LINGER_MS = 15_000;

/** How much of a body is read before it is asked for: the consumer takes more than one chunk at a time. */
const AHEAD_BYTES = 256 * 1024;
/** In how many chunks at most: each takes memory of its own, however small it is. */
const AHEAD_CHUNKS = 64;

/**
 * A request body as a stream that is read at the speed of its consumer. The request stays open if the consumer stops
 * early: the sender still waits for a response. A chunk is gone when the next one is requested.
 */
export class StreamedBody implements AsyncIterable<Uint8Array> {
  private wake: (() => void) | undefined;
  private chunks: Buffer[] = [];
  /** The size of the chunks. */
  private ahead = 0;
  private ended = false;
  private lost = false;
  private readonly slowBodyTimeout: SlowBodyTimeout;
  private readonly released = new ReleasedBuffers();

  constructor(
    private readonly request: IncomingMessage,
    limits = SLOW_BODY_LIMITS,
  ) {
    this.slowBodyTimeout = new SlowBodyTimeout(limits);
    request.pause();
    request.on('data', this.onData).on('end', this.onEnd).on('close', this.onClose).on('error', this.onClose);
  }

  /**
   * @throws {ServiceError} `request-timeout` if the body stops arriving or is very slow; `body-incomplete` if the
   *   sender disconnects
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const { chunks } = this;
      this.chunks = [];
      this.ahead = 0;
      for (const chunk of chunks) {
        yield chunk;
        this.released.add(chunk);
      }
      if (this.chunks.length > 0) continue;
      if (this.ended) return;
      if (this.lost) throw new ServiceError('body-incomplete', 'The connection ended before the whole body arrived.');
      await this.more();
    }
  }

  /** Discards the rest of the body for a while, then closes the connection. */
  discard(): void {
    const { request } = this;
    this.chunks = [];
    request.off('data', this.onData);
    if (this.ended || this.lost) return;
    request.on('data', () => undefined);
    request.resume();
    const limit = setTimeout(() => {
      request.destroy();
    }, LINGER_MS).unref();
    request.once('close', () => {
      clearTimeout(limit);
    });
  }

  private readonly onData = (chunk: Buffer): void => {
    this.chunks.push(chunk);
    this.ahead += chunk.length;
    if (this.ahead >= AHEAD_BYTES || this.chunks.length >= AHEAD_CHUNKS) this.request.pause();
    this.wake?.();
  };

  private readonly onEnd = (): void => {
    this.ended = true;
    this.wake?.();
  };

  private readonly onClose = (): void => {
    this.lost = !this.ended;
    this.wake?.();
  };

  private async more(): Promise<void> {
    let silence: NodeJS.Timeout | undefined;
    const began = performance.now();
    try {
      await new Promise<void>((resolve, reject) => {
        this.wake = resolve;
        silence = setTimeout(() => {
          reject(new ServiceError('request-timeout', this.slowBodyTimeout.message));
        }, this.slowBodyTimeout.remainingMs);
        this.request.resume();
      });
    } finally {
      clearTimeout(silence);
      this.slowBodyTimeout.waited(performance.now() - began, this.ahead);
      this.wake = undefined;
    }
  }
}
