import type { FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import { createHash } from 'node:crypto';
import { JsonSyntaxError, parseJson } from '../../core/json/lossless-json.js';
import { GRAPHQL_LIMITS } from './limits.js';

interface Envelope {
  query?: unknown;
  readonly extensions?: unknown;
}

const REFUSALS = {
  'persisted-query-not-found': 'PersistedQueryNotFound',
  'persisted-query-not-supported': 'PersistedQueryNotSupported',
} as const;

/**
 * Automatic persisted queries as Apollo clients use them: a client sends the SHA-256 hash of a query instead of its
 * text, and sends both if the hash is unknown. Since anyone can register queries, only the most recent ones are kept,
 * and only those that were executed.
 */
export class PersistedQueries {
  /** By hash, most recently used last. */
  private readonly texts = new Map<string, string>();
  private readonly sent = new WeakMap<FastifyRequest, { readonly hash: string; readonly text: string }>();

  /**
   * Replaces the hash of a persisted query with its text.
   * @throws {GraphQLError}
   */
  resolve(request: FastifyRequest): void {
    const envelope = (request.method === 'POST' ? request.body : request.query) as Envelope | null | undefined;
    const persisted = persistedQueryOf(envelope?.extensions);
    if (envelope === null || envelope === undefined || persisted === undefined) return;
    const { version, sha256Hash: hash } = persisted as { readonly version?: unknown; readonly sha256Hash?: unknown };
    if (version !== 1 || typeof hash !== 'string') throw refusal('persisted-query-not-supported');
    const { query } = envelope;
    if (typeof query === 'string' && query !== '') {
      if (query.length > GRAPHQL_LIMITS.queryLength) return;
      if (createHash('sha256').update(query).digest('hex') !== hash) {
        throw new GraphQLError(
          'The hash of the persisted query must be the lower-case hexadecimal SHA-256 of the query text.',
        );
      }
      this.sent.set(request, { hash, text: query });
      return;
    }
    const text = this.texts.get(hash);
    if (text === undefined) throw refusal('persisted-query-not-found');
    this.keep(hash, text);
    envelope.query = text;
  }

  /** Stores the query that this request sent with its hash: it is valid and within the limits. */
  noteExecuted(request: FastifyRequest): void {
    const found = this.sent.get(request);
    if (found !== undefined) this.keep(found.hash, found.text);
  }

  private keep(hash: string, text: string): void {
    this.texts.delete(hash);
    this.texts.set(hash, text);
    const [oldest] = this.texts.keys();
    if (this.texts.size > GRAPHQL_LIMITS.persistedQueries && oldest !== undefined) this.texts.delete(oldest);
  }
}

function refusal(code: keyof typeof REFUSALS): GraphQLError {
  return new GraphQLError(REFUSALS[code], { extensions: { code } });
}

/** In a GET request, the extensions are a string. */
function persistedQueryOf(extensions: unknown): object | undefined {
  const value = typeof extensions === 'string' && extensions !== '' ? parsed(extensions) : extensions;
  const persisted: unknown = isObject(value)
    ? (value as { readonly persistedQuery?: unknown }).persistedQuery
    : undefined;
  if (persisted === undefined || persisted === null) return undefined;
  return isObject(persisted) ? persisted : {};
}

function parsed(text: string): unknown {
  try {
    return parseJson(text, { maxDepth: GRAPHQL_LIMITS.nesting, duplicateKeys: 'reject' });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new GraphQLError(`The extensions are not valid JSON: ${error.message}.`);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
