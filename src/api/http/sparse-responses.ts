import type { FastifyInstance, FastifyRequest } from 'fastify';

const pruners = new WeakMap<FastifyRequest, (answer: object) => object>();

/** Says what is left of the answer to a request once everything else has been made of it. */
export function pruneAnswer(request: FastifyRequest, prune: (answer: object) => object): void {
  pruners.set(request, prune);
}

/**
 * Prunes answers to the members that their callers select. Must come after masking, which knows the value of a taint by the key
 * beside it.
 */
export function installSparseAnswers(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request: FastifyRequest, reply, payload: unknown, done) => {
    const prune = pruners.get(request);
    const isAnswer = typeof payload === 'object' && payload !== null && reply.statusCode < 300;
    done(null, prune === undefined || !isAnswer ? payload : prune(payload));
  });
}
