import { bodyOf, errorOf, type ReadAs } from './read-answer.js';
import { type RetryOptions, withRetries } from './retry.js';
import { ConnectionError, UnexpectedAnswerError } from './service-error.js';

export interface ClientOptions {
  /** Address of the service, with the path prefix of a proxy if it has one. */
  readonly baseUrl: string;
  /** The token, or what returns the current one. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether a browser sends cookies; as of `fetch`, only to its own origin by default. */
  readonly credentials?: 'omit' | 'same-origin' | 'include' | undefined;
  /** How calls are tried again; false: not at all. */
  readonly retry?: RetryOptions | false | undefined;
  /** By default, the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

export interface Sent {
  readonly method: string;
  /** Path and query below the address of the service. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export type Send = (url: string, init: RequestInit) => Promise<Response>;

const NOT_MODIFIED = 304;

/** Sends requests to the service. */
export class Transport {
  private readonly root: string;

  constructor(private readonly options: ClientOptions) {
    this.root = options.baseUrl.replace(/\/+$/, '');
  }

  /**
   * Sends a request until an attempt succeeds, and reads its answer.
   * @throws {ServiceError} if the service refuses it
   */
  async ask(sent: Sent, as: ReadAs, retry: RetryOptions | false | undefined, send?: Send) {
    const policy = { ...(this.options.retry === false ? { attempts: 0 } : this.options.retry) };
    return withRetries(
      async () => {
        const response = await this.open(sent, send);
        const { status, headers } = response;
        const data = status === NOT_MODIFIED ? undefined : await heard(bodyOf(response, as), sent.signal);
        return { data, status, headers };
      },
      retry === false ? { attempts: 0 } : { ...policy, ...retry },
      sent.signal,
    );
  }

  /**
   * Sends a request once.
   * @throws {ServiceError} if the service refuses it
   */
  async open(
    { method, path, headers, body, signal }: Sent,
    send: Send = this.options.fetch ?? fetch,
  ): Promise<Response> {
    signal?.throwIfAborted();
    const { token, credentials, headers: always } = this.options;
    const given = typeof token === 'function' ? await token() : token;
    const init: RequestInit = {
      method,
      headers: { ...always, ...headers, ...(given !== undefined && { authorization: `Bearer ${given}` }) },
      ...(credentials !== undefined && { credentials }),
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    };
    const response = await heard(send(this.root + path, init), signal);
    if (response.ok || response.status === NOT_MODIFIED) return response;
    throw await heard(errorOf(response), signal);
  }
}

/** Tells a connection that failed from a call that was cancelled. */
export async function heard<Result>(result: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof UnexpectedAnswerError || error instanceof SyntaxError ? error : new ConnectionError(error);
  }
}
