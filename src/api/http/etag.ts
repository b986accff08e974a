import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BasisShape } from '../shapes/basis-shape.js';

/**
 * Marks every GET answer that rests on one revision with a weak ETag, and answers 304 to who has it already. The tag is
 * made of the revision and the question, not of the answer's bytes: its age and decision id differ each time.
 */
export function installEtag(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request: FastifyRequest, reply: FastifyReply, payload: unknown, done) => {
    const basis = request.method === 'GET' || request.method === 'HEAD' ? basisOf(payload) : undefined;
    if (basis === undefined || reply.statusCode !== 200) {
      done(null, payload);
      return;
    }
    const etag = tagOf(request, basis);
    reply.header('etag', etag);
    if (!matches(request.headers['if-none-match'], etag)) {
      done(null, payload);
      return;
    }
    reply.code(304).serializer(() => '');
    done(null, null);
  });
}

function basisOf(payload: unknown): BasisShape | undefined {
  return typeof payload === 'object' && payload !== null && Object.hasOwn(payload, 'basis')
    ? ((payload as { basis: BasisShape | null }).basis ?? undefined)
    : undefined;
}

/** `capturedAt` is part of it because a cluster that was deleted and made again counts its revisions from 1. */
function tagOf(request: FastifyRequest, basis: BasisShape): string {
  const parts = [request.url, basis.revision, new Date(basis.capturedAt).getTime(), basis.rulesVersion];
  return `W/"${createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)}"`;
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => opaque(tag) === opaque(etag));
}
