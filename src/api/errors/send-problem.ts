import type { FastifyReply, FastifyRequest } from 'fastify';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { RequestContext } from '../../app/request-context.js';
import type { ServiceError } from '../../app/errors/service-error.js';
import { problemShape } from '../masking/error-types.js';
import { maskedFor } from '../masking/install-masking.js';
import { problemOf, PROBLEM_MEDIA_TYPE, type Problem } from './problem.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Path prefix of the service, such as `/placement`; empty or absent if there is none. */
    basePath?: string;
  }
}

/** Requests that Fastify rejects before its hooks run have no request context. */
function masked({ requestContext }: FastifyRequest, problem: Problem): unknown {
  return (requestContext as RequestContext | null | undefined) == null
    ? problem
    : maskedFor(requestContext, problem, problemShape);
}

export function sendProblem(reply: FastifyReply, error: ServiceError): void {
  if (reply.sent) return;
  const { request } = reply;
  const { basePath = '' } = reply.server;
  const relative = problemOf(error, request.id, `${basePath}${request.url.split('?', 1)[0] ?? ''}`);
  const problem = { ...relative, type: `${basePath}${relative.type}` };
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
  // The rest of the body is not read, so the next request needs another connection.
  if (error.code === 'body-too-large' || error.code === 'request-timeout') reply.header('connection', 'close');
  void reply
    .code(problem.status)
    // Requests that Fastify rejects itself never reach the hook that sets it.
    .header('x-request-id', request.id)
    .header('cache-control', 'no-store')
    .removeHeader('etag')
    .type(PROBLEM_MEDIA_TYPE)
    .send(stringifyJson(masked(request, problem)));
}
