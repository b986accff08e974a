import type { FastifyReply, FastifyRequest, onSendHookHandler, preHandlerAsyncHookHandler } from 'fastify';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gunzip, gzip } from 'node:zlib';
import type { Logger } from 'pino';
import { callerKey } from '../../app/caller-key.js';
import type { Clock } from '../../app/clock.js';
import { InvalidRequestError } from '../../app/errors/invalid-request-error.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { stringifyJson } from '../../core/json/lossless-json.js';
import {
  type IdempotencyStore,
  type KeyedRequest,
  LEASE_MS,
  type StoredAnswer,
} from '../../storage/idempotency-store.js';
import { IDEMPOTENCY_KEY, takesIdempotencyKey } from '../docs/idempotent-operation.js';
import { operationOf } from '../docs/operation.js';
import { permissionRequirementOf } from '../access/require-permission.js';
import { type ControllerClass, handlersOfRoutes } from '../access/route-access.js';
import { StreamedBody } from './streamed-body.js';

const MAX_KEY_LENGTH = 255;
const RETRY_AFTER_SECONDS = 1;

/** Headers of a response that a retry receives as well. */
const KEPT_HEADERS = ['content-type', 'location', 'etag', 'link', 'deprecation', 'sunset'];

/** Errors that depend on stored data; others depend only on the request, or are temporary. */
const KEPT_REFUSALS: readonly number[] = [404, 410, 412, 422];

/** Headers that are part of the request's identity. */
const ASKING_HEADERS = ['content-type', 'content-encoding', 'if-match'];
/** Headers that distinguish streamed bodies before they have been read (RFC 9530). */
const STREAM_HEADERS = [...ASKING_HEADERS, 'content-length', 'content-digest', 'repr-digest', 'digest'];

const zip = promisify(gzip);
const unzip = promisify(gunzip);

interface Claimed {
  readonly claim: string;
  readonly keyed: KeyedRequest;
  readonly renewal: NodeJS.Timeout;
}

export interface IdempotencyOptions {
  readonly store: IdempotencyStore;
  readonly controllers: readonly ControllerClass[];
  readonly log: Logger;
  readonly clock: Clock;
}

export interface IdempotencyHooks {
  /** Must run after bodies are parsed. */
  readonly preHandler: preHandlerAsyncHookHandler;
  /** Must run before the hooks that change the response, such as compression. */
  readonly onSend: onSendHookHandler;
}

/**
 * Returns the first response to a write that is retried with the same `Idempotency-Key`, without storing anything
 * (draft-ietf-httpapi-idempotency-key-header).
 */
export function idempotencyHooks(options: IdempotencyOptions): IdempotencyHooks {
  const keys = new IdempotencyKeys(options);
  return {
    preHandler: (request, reply) => keys.meet(request, reply),
    onSend: (request, reply, payload, done) => {
      // Called synchronously for all other requests: after a promise, later hooks would run before the reply is sent.
      if (!keys.hasClaimed(request)) {
        done(null, payload);
        return;
      }
      void keys.keep(request, reply, payload).then(() => {
        done(null, payload);
      });
    },
  };
}

class IdempotencyKeys {
  private readonly claimed = new WeakMap<FastifyRequest, Claimed>();
  private readonly routes: ReadonlySet<string>;

  constructor(private readonly options: IdempotencyOptions) {
    const handlers = [...handlersOfRoutes(options.controllers)];
    this.routes = new Set(
      handlers.flatMap(([route, handler]) => {
        const [method = ''] = route.split(' ');
        const takes = takesIdempotencyKey(method, operationOf(handler) ?? {}, permissionRequirementOf(handler));
        return takes ? [route] : [];
      }),
    );
  }

  /**
   * Answers a retry, and registers the first request with a key.
   * @throws {InvalidRequestError} for an invalid key
   * @throws {ServiceError} `idempotency-key-reused`, `idempotency-key-in-use`
   */
  async meet(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const header = request.headers['idempotency-key'];
    if (header === undefined || !this.isWrite(request)) return undefined;
    const { store, clock, log } = this.options;
    const keyed = { caller: callerKey(request.requestContext), key: readKey(header), requestHash: hashOf(request) };
    const state = await store.claim(keyed, request.requestContext.now);
    if (state.kind === 'claimed') {
      const { claim } = state;
      const renewal = setInterval(() => {
        store.renew(claim, keyed, clock.now()).catch((error: unknown) => {
          log.warn({ err: error, requestId: request.id }, 'the lease of an idempotency key was not renewed');
        });
      }, LEASE_MS / 3).unref();
      this.claimed.set(request, { claim, keyed, renewal });
      return undefined;
    }
    if (request.routeOptions.config.streamBody === true) new StreamedBody(request.raw).discard();
    if (state.kind === 'other request') {
      throw new ServiceError(
        'idempotency-key-reused',
        'The Idempotency-Key was used for another request. Use a new key for each request.',
        {
          details: [fault('idempotency-key-reused', 'belongs to another request: method, path, query or body differ')],
        },
      );
    }
    if (state.kind === 'in flight') {
      reply.header('retry-after', RETRY_AFTER_SECONDS);
      throw new ServiceError(
        'idempotency-key-in-use',
        'The first request with this Idempotency-Key is still in progress.',
        {
          details: [fault('idempotency-key-in-use', 'belongs to a request that is still in progress')],
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        },
      );
    }
    return replay(reply, state.answer);
  }

  hasClaimed(request: FastifyRequest): boolean {
    return this.claimed.has(request);
  }

  /** Stores the response to the first request with a key, or releases the key if a retry should run again. */
  async keep(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void> {
    const claimed = this.claimed.get(request);
    if (claimed === undefined) return;
    this.claimed.delete(request);
    const { claim, keyed, renewal } = claimed;
    clearInterval(renewal);
    const { store, log } = this.options;
    try {
      const isKept = isFinal(request, reply.statusCode) && (typeof payload === 'string' || Buffer.isBuffer(payload));
      if (!isKept) {
        await store.release(claim, keyed);
        return;
      }
      const headers = KEPT_HEADERS.flatMap((name) => {
        const value = reply.getHeader(name);
        return value === undefined ? [] : [[name, String(value)] as const];
      });
      const body = await zip(payload, { level: constants.Z_BEST_SPEED });
      await store.answer(claim, keyed, { status: reply.statusCode, headers: Object.fromEntries(headers), body });
    } catch (error) {
      // The write is complete and its caller gets the response. A retry is rejected until the lease ends, then runs
      // again.
      log.warn({ err: error, requestId: request.id }, 'the response to a write with an idempotency key was not stored');
    }
  }

  private isWrite({ method, routeOptions, is404, body, ws }: FastifyRequest): boolean {
    if (is404 || ws) return false;
    const { url = '' } = routeOptions;
    if (url === '/graphql') return method === 'POST' && isMutation(body);
    return this.routes.has(`${method} ${url}`);
  }
}

/** Whether the document contains a mutation. */
function isMutation(body: unknown): boolean {
  const { query } = (typeof body === 'object' && body !== null ? body : {}) as { readonly query?: unknown };
  return typeof query === 'string' && /(^|[\s}])mutation\b/.test(query);
}

/** A structured-field string, or the same without quotes, as many clients send it. */
function readKey(header: string | readonly string[]): string {
  const text = typeof header === 'string' ? header.trim() : '';
  const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1');
  const key = quoted ?? (/^[\x20-\x7e]+$/.test(text) && !text.startsWith('"') ? text : '');
  if (key === '' || key.length > MAX_KEY_LENGTH) {
    const message = `must be one string of 1 to ${MAX_KEY_LENGTH} printable ASCII characters, with or without quotes`;
    throw new InvalidRequestError([fault('invalid-idempotency-key', message)]);
  }
  return key;
}

function fault(code: string, message: string): { field: string; code: string; message: string } {
  return { field: IDEMPOTENCY_KEY, code, message };
}

/** Hash that identifies a request. Streams are not read for it: their length and digests represent them. */
function hashOf(request: FastifyRequest): Buffer {
  const { method, url, headers, body, routeOptions } = request;
  const isStream = routeOptions.config.streamBody === true;
  const said = (isStream ? STREAM_HEADERS : ASKING_HEADERS).map((name) => headers[name] ?? null);
  const text = isStream || body === undefined ? '' : stringifyJson(body);
  return createHash('sha256')
    .update(JSON.stringify([method, url, said]))
    .update(text)
    .digest();
}

function isFinal(request: FastifyRequest, status: number): boolean {
  if (status < 300) return true;
  return request.routeOptions.config.streamBody !== true && KEPT_REFUSALS.includes(status);
}

async function replay(reply: FastifyReply, { status, headers, body }: StoredAnswer): Promise<FastifyReply> {
  const text = body.length === 0 ? '' : (await unzip(body)).toString('utf8');
  return reply.code(status).headers(headers).header('idempotency-replayed', 'true').send(text);
}
