import type { FastifyReply, FastifyRequest } from 'fastify';
import { preferredType } from '../http/preferred-type.js';
import { JSON_MEDIA_TYPE } from '../http/media-type.js';

const GRAPHQL_RESPONSE = 'application/graphql-response+json';

const wellFormed = new WeakSet<FastifyRequest>();

/**
 * The media type of a response (GraphQL over HTTP, section 6). Clients that accept `application/json` but not GraphQL's
 * own type are older ones; clients that name neither get the type that the specification prefers.
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

/** Marks a request as well-formed GraphQL, whether or not its query is valid. */
export function noteWellFormed(request: FastifyRequest): void {
  wellFormed.add(request);
}

/**
 * The status of a request that was not executed. With `application/json`, a 4xx status could also come from an
 * intermediary, and older clients would not look for errors in such a response.
 */
export function statusOfRefusal(request: FastifyRequest, status: number): number {
  const isOlder = responseType(request) === JSON_MEDIA_TYPE;
  return status === 400 && isOlder && wellFormed.has(request) ? 200 : status;
}
