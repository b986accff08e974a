import type { FastifyReply, FastifyRequest } from 'fastify';
import { preferredType } from '../http/preferred-type.js';
import { JSON_MEDIA_TYPE } from '../http/media-type.js';

const GRAPHQL_RESPONSE = 'application/graphql-response+json';

const wellFormed = new WeakSet<FastifyRequest>();

/**
 * The media type of an answer (GraphQL over HTTP, section 6). Clients that name `application/json` and not GraphQL's own type are older
 * ones; those that name neither take what the specification prefers.
 */
function responseType({ headers: { accept } }: FastifyRequest): string {
  const named = (accept ?? '').toLowerCase();
  if (named.includes(GRAPHQL_RESPONSE)) return preferredType(accept, [GRAPHQL_RESPONSE, JSON_MEDIA_TYPE]);
  return named.includes(JSON_MEDIA_TYPE) ? JSON_MEDIA_TYPE : GRAPHQL_RESPONSE;
}

export function setResponseType(request: FastifyRequest, reply: FastifyReply): void {
  const vary = new Set(
    String(reply.getHeader('vary') ?? '')
      .split(', ')
      .filter(Boolean),
  ).add('accept');
  void reply.type(`${responseType(request)}; charset=utf-8`).header('vary', [...vary].join(', '));
}

/** Notes that a request is one of GraphQL, whatever its query is worth. */
export function noteWellFormed(request: FastifyRequest): void {
  wellFormed.add(request);
}

/**
 * The status of a request that was not executed. In `application/json` a status of 4xx could also come from somebody on the way, so
 * that older clients do not look for errors in such an answer.
 */
export function statusOfRefusal(request: FastifyRequest, status: number): number {
  const isOlder = responseType(request) === JSON_MEDIA_TYPE;
  return status === 400 && isOlder && wellFormed.has(request) ? 200 : status;
}
