import type { FastifyReply } from 'fastify';
import { stringifyJson } from '../core/json/lossless-json.js';
import type { ServiceError } from '../app/errors/service-error.js';
import { problemOf, PROBLEM_MEDIA_TYPE } from './problem.js';

export function sendProblem(reply: FastifyReply, error: ServiceError): void {
  if (reply.sent) return;
  const { request } = reply;
  const problem = problemOf(error, request.id, request.url.split('?', 1)[0]);
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  // What is left of the body is not worth reading; the next request needs a connection of its own.
  if (error.code === 'body-too-large' || error.code === 'request-timeout') reply.header('connection', 'close');
  void reply
    .code(problem.status)
    // Fastify's own refusals come before the hook that sets it.
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .removeHeader('etag')
    .type(PROBLEM_MEDIA_TYPE)
    .send(stringifyJson(problem));
}
