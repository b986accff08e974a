import type { FastifyInstance, FastifyRequest } from 'fastify';

const pruners = new WeakMap<FastifyRequest, (answer: object) => object>();

/** Registers a function that removes members from the response after all other processing. */
export function pruneAnswer(request: FastifyRequest, prune: (answer: object) => object): void {
  pruners.set(request, prune);
}

export const isPruned = (request: FastifyRequest): boolean => pruners.has(request);

/**
 * Reduces responses to the members that their callers select. Must run after masking, which reads members beside those that
 * it masks.
 */
export function installSparseAnswers(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request: FastifyRequest, reply, payload: unknown, done) => {
    const prune = pruners.get(request);
    const isAnswer = typeof payload === 'object' && payload !== null && reply.statusCode < 300;
    done(null, prune === undefined || !isAnswer ? payload : prune(payload));
  });
}
