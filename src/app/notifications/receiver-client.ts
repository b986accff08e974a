import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { AddressRefused, type AddressGuard } from '../../kube-api/address-guard.js';
import { tracedRequest } from '../../tracing/tracing.js';
import type { ReceiverRequest } from './render-event.js';

/** Where to send to; all of it is secret. */
export interface Receiver {
  readonly url: string;
  readonly secret?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a receiver answered. */
export interface ReceiverAnswer {
  readonly status: number;
  /** The first characters. */
  readonly body: string;
  /** The header `Retry-After`. */
  readonly retryAfter: string | undefined;
}

/** An answer with its headers. */
type Answered = Omit<ReceiverAnswer, 'retryAfter'> & { readonly headers: IncomingHttpHeaders };

/** A receiver did not answer; the message says why, without the URL. */
export class ReceiverUnreachable extends Error {
  override readonly name = 'ReceiverUnreachable';
}

/** For the whole request, in milliseconds. */
const TIMEOUT = 10_000;
/** How much of an answer is read. */
const MOST_BYTES = 16 * 1024;
const MOST_CHARACTERS = 1000;

/**
 * Sends events. Each request has a new connection, whose address is checked after the name is resolved, and redirects are not followed,
 * so that a receiver cannot lead the service into its own network.
 */
export class ReceiverClient {
  constructor(
    private readonly guard: AddressGuard,
    private readonly timeout = TIMEOUT,
  ) {}

  /** @throws {AddressRefused} the host is an address that is not allowed */
  check(url: string): void {
    this.guard.checkHost(new URL(url).hostname);
  }

  /** @throws {ReceiverUnreachable} */
  async send(receiver: Receiver, request: ReceiverRequest, signal?: AbortSignal): Promise<ReceiverAnswer> {
    const { headers, ...answer } = await this.exchange('POST', receiver, request, signal);
    return { ...answer, retryAfter: headers['retry-after'] };
  }

  /** Asks with OPTIONS. @throws {ReceiverUnreachable} */
  ask(receiver: Receiver, headers: ReceiverRequest['headers']): Promise<Answered> {
    return this.exchange('OPTIONS', receiver, { headers, body: '' }, undefined);
  }

  private async exchange(
    method: 'POST' | 'OPTIONS',
    { url, headers }: Receiver,
    { headers: own, body }: ReceiverRequest,
    signal: AbortSignal | undefined,
  ): Promise<Answered> {
    const target = new URL(url);
    try {
      this.guard.checkHost(target.hostname);
      return await tracedRequest({ method, url: target, name: `${method} receiver` }, (traceHeaders) =>
        this.request(method, target, { headers: { ...traceHeaders, ...headers, ...own }, body }, signal),
      );
    } catch (error) {
      if (error instanceof ReceiverUnreachable) throw error;
      throw new ReceiverUnreachable(reasonOf(error));
    }
  }

  private request(
    method: 'POST' | 'OPTIONS',
    url: URL,
    { headers, body }: ReceiverRequest,
    signal: AbortSignal | undefined,
  ): Promise<Answered> {
    const request = url.protocol === 'http:' ? requestHttp : requestHttps;
    return new Promise((resolve, reject) => {
      const sent = request(
        url,
        {
          method,
          agent: false,
          ...(signal && { signal }),
          lookup: this.guard.lookup,
          headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        },
        (response) => {
          const parts: Buffer[] = [];
          let size = 0;
          const answered = (): void => {
            const text = new TextDecoder().decode(Buffer.concat(parts)).slice(0, MOST_CHARACTERS);
            resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers });
          };
          response.on('data', (part: Buffer) => {
            parts.push(part);
            size += part.length;
            if (size <= MOST_BYTES) return;
            answered();
            sent.destroy();
          });
          response.on('error', reject);
          response.on('end', answered);
        },
      );
      const timer = setTimeout(() => {
        sent.destroy(new ReceiverUnreachable(`no answer within ${this.timeout / 1000} s`));
      }, this.timeout);
      sent.on('error', reject);
      sent.on('close', () => {
        clearTimeout(timer);
        reject(new ReceiverUnreachable('the connection was closed before the answer was complete'));
      });
      sent.end(body);
    });
  }
}

/** Why a request failed. Messages of Node name addresses, never paths or queries. */
function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  const { code, message } = error as { readonly code?: string; readonly message?: string };
  if (message !== undefined && message !== '')
    return code === undefined || message.includes(code) ? message : `${message} (${code})`;
  return code ?? 'the connection failed';
}
