import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DEFAULT_RULES } from '../../core/kubernetes/kubernetes-rules.js';
import type { answerBasis } from '../../contract/common/basis.js';
import type { Response } from '../../contract/schema.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response depends on more than its revision, for example on the current status of a change. */
    beyondRevision?: boolean;
  }
}

/**
 * Adds a weak ETag to GET responses that depend on one revision, or on two that they compare, and returns 304 to
 * clients that have them. The tag is built from the revision (which `If-Match` reads from it), the request and the
 * service's version, not from the bytes of the response: its age and decision id differ each time.
 */
export function installEtag(fastify: FastifyInstance, version: string): void {
  fastify.addHook('preSerialization', (request: FastifyRequest, reply: FastifyReply, payload: unknown, done) => {
    const { beyondRevision = false } = request.routeOptions.config;
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const bases = reads && !beyondRevision ? basesOf(payload) : [];
    if (bases.length === 0 || reply.statusCode !== 200) {
      done(null, payload);
      return;
    }
    const etag = tagOf(request, bases, version);
    reply.header('etag', etag);
    if (!matches(request.headers['if-none-match'], etag)) {
      done(null, payload);
      return;
    }
    reply.code(304).serializer(() => '');
    done(null, null);
  });
}

/** What a response says it is based on: its `basis`, and in a comparison `from`. */
interface Based {
  readonly basis?: Response<typeof answerBasis> | null;
  readonly from?: { readonly revision: number; readonly capturedAt: Date | string };
}

type Base = NonNullable<Based['from']>;

function basesOf(payload: unknown): Base[] {
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, 'basis')) return [];
  const { basis, from } = payload as Based;
  if (basis === null || basis === undefined) return [];
  return from === undefined ? [basis] : [basis, from];
}

/** Includes `capturedAt`, since a cluster that was deleted and created again numbers its revisions from 1. */
function tagOf(request: FastifyRequest, bases: readonly Base[], version: string): string {
  const revisions = bases.map(({ revision, capturedAt }) => [revision, new Date(capturedAt).getTime()]);
  const { access, withheld } = request.requestContext;
  const parts = [request.url, revisions, DEFAULT_RULES.release, version, access.withholdsValues && withheld.any];
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22);
  return `W/"${bases[0]?.revision ?? 0}-${hash}"`;
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((tag) => opaque(tag) === opaque(etag));
}
