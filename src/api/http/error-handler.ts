import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { logFailure } from '../logging/log-failure.js';
import { sendProblem } from '../errors/send-problem.js';
import { transportErrorOf } from '../errors/transport-error-of.js';

/** For what goes wrong before a handler is reached, such as in a body: Nest's filter sees only what comes after. */
export function installErrorHandler(fastify: FastifyInstance, log: Logger): void {
  fastify.setErrorHandler((thrown, request, reply) => {
    const error = transportErrorOf(thrown);
    logFailure(log, error, request.id);
    sendProblem(reply, error);
  });
}
