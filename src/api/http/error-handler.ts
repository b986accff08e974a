import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { logFailure } from '../logging/log-failure.js';
import { sendProblem } from '../errors/send-problem.js';
import { transportErrorOf } from '../errors/transport-error-of.js';

/** Handles errors that occur before a handler runs, for example in the body; Nest's filter handles only later ones. */
export function installErrorHandler(fastify: FastifyInstance, log: Logger): void {
  fastify.setErrorHandler((thrown, request, reply) => {
    const error = transportErrorOf(thrown);
    logFailure(log, error, request.id);
    sendProblem(reply, error);
  });
}
