import type { FastifyInstance, FastifyReply } from 'fastify';
import { isLongerThan } from '../../core/json/json-length.js';
import { stepWriteJson } from '../../core/json/step-write-json.js';
import { Slices } from '../../event-loop/slices.js';
import { hasWriter, WrittenBody } from './written-body.js';

/** Responses of at most so many characters are serialized in one call, which takes about a millisecond. */
const SHORT = 128 * 1024;

/** Serializes long responses in time slices. Must be the last of what changes a response. */
export function installLongBodies(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (_request, _reply: FastifyReply, payload: unknown, done) => {
    if (typeof payload !== 'object' || payload === null || hasWriter(payload) || !isLongerThan(payload, SHORT)) {
      done(null, payload);
      return;
    }
    bytesOf(payload).then((bytes) => {
      done(null, new WrittenBody(bytes));
    }, done);
  });
}

async function bytesOf(payload: object): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const slices = new Slices();
  await slices.run(stepWriteJson(payload, (piece) => pieces.push(Buffer.from(piece))));
  return slices.run(stepJoin(pieces));
}

/** Copies pieces into one buffer, and yields after each: megabytes that were never touched take the operating system a while. */
export function* stepJoin(pieces: readonly Buffer[]): Generator<undefined, Buffer> {
  const joined = Buffer.allocUnsafe(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    joined.set(piece, at);
    at += piece.length;
    yield;
  }
  return joined;
}
