import { Agent, request, type RequestOptions } from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { tracedRequest } from '../tracing/tracing.js';
import type { AddressGuard } from './address-guard.js';
import {
  type ApiAnswer,
  answerFrom,
  ApiUnreachable,
  credentialsOf,
  MOST_BYTES,
  reasonOf,
  TIMEOUT,
} from './api-client.js';
import type { ApiServer } from './api-server.js';
import { Http2Connections, type Http2Times } from './http2-connections.js';
import type { StreamedAnswer, StreamingClient } from './reflector/call.js';

/** In milliseconds, until the connection is made and encrypted. */
const CONNECT = 10_000;
/** Connections over HTTP/1.1 kept for the next request; each watch has one of its own. */
const MOST_FREE = 4;

/**
 * Reads answers of one API server as streams, at the pace of the reader: over HTTP/2 where the server speaks it, as API servers do, otherwise
 * over HTTP/1.1. Redirects are not followed. Whoever asks sets the deadlines for the answer.
 */
export class StreamClient implements StreamingClient {
  private readonly agent = new Agent({ keepAlive: true, maxFreeSockets: MOST_FREE });
  private readonly http2: Http2Connections;

  constructor(
    private readonly guard: AddressGuard,
    private readonly apiServer: ApiServer,
    private readonly times: Http2Times = { connectWithin: CONNECT },
  ) {
    this.http2 = new Http2Connections(guard, times);
  }

  /** Lists or watches. @throws {ApiUnreachable} */
  get(path: string, signal: AbortSignal): Promise<StreamedAnswer> {
    return this.open(path, nameOf, signal);
  }

  /** @param name of the request's span */
  private async open(path: string, name: (url: URL) => string, signal: AbortSignal): Promise<StreamedAnswer> {
    const { apiServer } = this;
    const url = new URL(`${apiServer.server}${path}`);
    try {
      this.guard.checkHost(url.hostname);
      const { headers, ...credentials } = await credentialsOf(apiServer);
      signal.throwIfAborted();
      const identity = {
        ...credentials,
        ...(apiServer.serverName !== undefined && { servername: apiServer.serverName }),
      };
      return await tracedRequest({ method: 'GET', url, name: name(url) }, async (traceHeaders) => {
        const asked = {
          ...headers,
          ...traceHeaders,
          accept: 'application/json',
          'accept-encoding': 'gzip',
          'user-agent': 'kube-placement',
        };
        const answer = await this.http2.get(url, asked, identity, signal);
        if (answer !== undefined) return answerOf(answer.status, answer.headers, answer.body);
        return this.send(url, { ...identity, headers: asked }, signal);
      });
    } catch (error) {
      throw error instanceof ApiUnreachable ? error : new ApiUnreachable(reasonOf(error));
    }
  }

  /** Asks a question with a short answer, over the same connections. @throws {ApiUnreachable} */
  async ask(path: string, signal: AbortSignal): Promise<Pick<ApiAnswer, 'status' | 'body'>> {
    const late = AbortSignal.timeout(TIMEOUT);
    try {
      const { status, body } = await this.open(path, () => 'GET API server', AbortSignal.any([signal, late]));
      const parts: Buffer[] = [];
      let size = 0;
      for await (const part of body) {
        size += part.length;
        if (size > MOST_BYTES) throw new ApiUnreachable(`the answer has more than ${MOST_BYTES} bytes`);
        parts.push(part);
      }
      return answerFrom(status, {}, Buffer.concat(parts));
    } catch (error) {
      if (late.aborted) throw new ApiUnreachable(`no answer within ${TIMEOUT / 1000} s`);
      throw error instanceof ApiUnreachable ? error : new ApiUnreachable(reasonOf(error));
    }
  }

  /** Ends the connections that are kept. */
  close(): void {
    this.http2.close();
    this.agent.destroy();
  }

  private send(url: URL, options: RequestOptions, signal: AbortSignal): Promise<StreamedAnswer> {
    const { connectWithin } = this.times;
    return new Promise((resolve, reject) => {
      let received: IncomingMessage | undefined;
      const sent = request(url, { ...options, agent: this.agent, lookup: this.guard.lookup }, (response) => {
        // The error comes to whoever reads; nobody may be reading.
        response.on('error', () => undefined);
        received = response;
        resolve(streamedAnswerOf(response));
      });
      // Not as an option: it would end the socket, too, which after the end of the answer may be another request's.
      const stop = (): void => {
        if (received?.readableEnded !== true) sent.destroy();
      };
      signal.addEventListener('abort', stop, { once: true });
      sent.on('close', () => {
        signal.removeEventListener('abort', stop);
      });
      sent.on('error', reject);
      sent.on('socket', (socket) => {
        if (!socket.connecting) return;
        const timer = setTimeout(() => {
          sent.destroy(new ApiUnreachable(`no connection within ${connectWithin / 1000} s`));
        }, connectWithin);
        const made = (): void => {
          clearTimeout(timer);
        };
        socket.once('secureConnect', made).once('close', made);
      });
      sent.end();
    });
  }
}

/** `WATCH pods`: what the API server does for the request. */
function nameOf({ pathname, searchParams }: URL): string {
  return `${searchParams.get('watch') === null ? 'LIST' : 'WATCH'} ${pathname.slice(pathname.lastIndexOf('/') + 1)}`;
}

export function streamedAnswerOf(response: IncomingMessage): StreamedAnswer {
  return answerOf(response.statusCode ?? 0, response.headers, response);
}

function answerOf(status: number, headers: IncomingHttpHeaders, body: AsyncIterable<Buffer>): StreamedAnswer {
  const retryAfter = Number(headers['retry-after']);
  return {
    status,
    contentType: headers['content-type'] ?? '',
    // As a date it is not used by API servers.
    retryAfter: Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter : undefined,
    body: bodyOf(body, headers['content-encoding']),
  };
}

function bodyOf(body: AsyncIterable<Buffer>, encoding: string | undefined): AsyncIterable<Buffer> {
  if (encoding !== 'gzip') return body;
  const inflated = createGunzip();
  // The error comes to whoever reads.
  pipeline(body, inflated, () => undefined);
  return inflated;
}
