import { readFile } from 'node:fs/promises';
import { request, type RequestOptions } from 'node:https';
import { isJsonObject, type JsonObject } from '../core/json/json-value.js';
import { parseJson, stringifyJson } from '../core/json/lossless-json.js';
import { tracedRequest } from '../tracing/tracing.js';
import type { AddressGuard } from './address-guard.js';
import type { ApiServer } from './api-server.js';

/** An API server gave no usable answer; the message says why, without credentials. */
export class ApiUnreachable extends Error {
  override readonly name = 'ApiUnreachable';

  /** @param sent whether the request may have reached the API server */
  constructor(
    message: string,
    readonly sent = true,
  ) {
    super(message);
  }
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its query. */
  readonly path: string;
  readonly body?: JsonObject | JsonObject[];
  /** The form of a patch; server-side apply by default. */
  readonly patch?: 'apply' | 'json';
}

export interface ApiAnswer {
  readonly status: number;
  /** Undefined if the body is no JSON object. */
  readonly body: JsonObject | undefined;
  /** Texts of the `Warning` headers. */
  readonly warnings: readonly string[];
  /** Of the header `Retry-After`, in seconds. */
  readonly retryAfter?: number;
  /** The beginning of a body that is no JSON object. */
  readonly text?: string;
}

/** For one request, in milliseconds. Webhooks have 10 s each by default; the API server itself ends a request after 60 s. */
export const TIMEOUT = 30_000;
/** An answer to one object has at most the size of an object in etcd, with some room. */
export const MOST_BYTES = 8 * 1024 * 1024;

/** Characters of an answer that is no JSON object. */
const MOST_TEXT = 500;

const PATCH_TYPES = { apply: 'application/apply-patch+yaml', json: 'application/json-patch+json' } as const;

/** Where Kubernetes mounts the credentials of a pod. */
const MOUNTED = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Asks API servers single questions. Redirects are not followed. */
export class ApiClient {
  constructor(
    private readonly guard: AddressGuard,
    private readonly timeout = TIMEOUT,
  ) {}

  /** @throws {ApiUnreachable} */
  async ask(apiServer: ApiServer, asked: ApiRequest, signal?: AbortSignal): Promise<ApiAnswer> {
    const url = new URL(`${apiServer.server}${asked.path}`);
    try {
      this.guard.checkHost(url.hostname);
      const credentials = await credentialsOf(apiServer);
      return await tracedRequest({ method: asked.method, url, name: `${asked.method} API server` }, (traceHeaders) =>
        this.send(url, asked, {
          ...credentials,
          headers: { ...credentials.headers, ...traceHeaders },
          ...(apiServer.serverName !== undefined && { servername: apiServer.serverName }),
          ...(signal && { signal }),
        }),
      );
    } catch (error) {
      if (error instanceof ApiUnreachable) throw error;
      throw new ApiUnreachable(reasonOf(error), false);
    }
  }

  private send(
    url: URL,
    { method, body, patch = 'apply' }: ApiRequest,
    { headers, ...options }: Credentials & Pick<RequestOptions, 'servername' | 'signal'>,
  ): Promise<ApiAnswer> {
    const text = body === undefined ? undefined : stringifyJson(body);
    return new Promise((resolve, reject) => {
      let connected = false;
      const fail = (error: unknown): void => {
        reject(error instanceof ApiUnreachable ? error : new ApiUnreachable(reasonOf(error), connected));
      };
      const sent = request(
        url,
        {
          ...options,
          method,
          agent: false,
          lookup: this.guard.lookup,
          headers: {
            ...headers,
            accept: 'application/json',
            'user-agent': 'kube-placement',
            ...(text !== undefined && {
              'content-type': method === 'PATCH' ? PATCH_TYPES[patch] : 'application/json',
              'content-length': String(Buffer.byteLength(text)),
            }),
          },
        },
        (response) => {
          const parts: Buffer[] = [];
          let size = 0;
          response.on('data', (part: Buffer) => {
            size += part.length;
            if (size > MOST_BYTES) sent.destroy(new ApiUnreachable(`the answer has more than ${MOST_BYTES} bytes`));
            else parts.push(part);
          });
          response.on('error', fail);
          response.on('end', () => {
            const { 'retry-after': retry, warning } = response.headers;
            resolve(answerFrom(response.statusCode ?? 0, { 'retry-after': retry, warning }, Buffer.concat(parts)));
          });
        },
      );
      const timer = setTimeout(() => {
        sent.destroy(new ApiUnreachable(`no answer within ${this.timeout / 1000} s`, connected));
      }, this.timeout);
      sent.on('socket', (socket) => {
        if (socket.connecting) {
          socket.once('secureConnect', () => {
            connected = true;
          });
        } else connected = true;
      });
      sent.on('error', fail);
      sent.on('close', () => {
        clearTimeout(timer);
      });
      sent.end(text);
    });
  }
}

interface Credentials extends Pick<RequestOptions, 'ca' | 'cert' | 'key'> {
  readonly headers?: Readonly<Record<string, string>>;
}

export async function credentialsOf({ ca, user }: ApiServer): Promise<Credentials> {
  switch (user.kind) {
    case 'token':
      return { ...(ca !== undefined && { ca }), headers: { authorization: `Bearer ${user.token}` } };
    case 'certificate':
      return { ...(ca !== undefined && { ca }), cert: user.certificate, key: user.key };
    case 'serviceAccount': {
      const [token, mounted] = await Promise.all([read('token'), read('ca.crt')]);
      return { ca: mounted, headers: { authorization: `Bearer ${token.trim()}` } };
    }
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(`${MOUNTED}/${file}`, 'utf8');
  } catch {
    throw new ApiUnreachable(
      `the service account has no ${file}: the service does not run in a pod, or no token is mounted`,
    );
  }
}

/**
 * Reads an answer.
 * @param headers bytes read as Latin-1, as Node has them
 */
export function answerFrom(
  status: number,
  {
    'retry-after': retry,
    warning,
  }: Readonly<Partial<Record<'retry-after' | 'warning', string | readonly string[] | undefined>>>,
  bytes: Buffer,
): ApiAnswer {
  const answered = bytes.toString();
  const body = objectIn(answered);
  const retryAfter = Number(retry ?? NaN);
  return {
    status,
    body,
    warnings: warningsIn(warning),
    ...(retryAfter >= 0 && { retryAfter }),
    ...(body === undefined && { text: answered.slice(0, MOST_TEXT).trim() }),
  };
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The texts of headers such as `299 - "unknown field \"x\""`; Node joins several with commas, and reads bytes as Latin-1. */
function warningsIn(header: string | readonly string[] | undefined): readonly string[] {
  const text = Buffer.from(typeof header === 'string' ? header : (header ?? []).join(', '), 'latin1').toString();
  return [...text.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, quoted]) => quoted!.replace(/\\(.)/g, '$1'));
}

/** Why a request failed, without the words of a stack. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  if (message !== undefined && message !== '')
    return code === undefined || message.includes(code) ? message : `${message} (${code})`;
  return code ?? 'the connection failed';
}
