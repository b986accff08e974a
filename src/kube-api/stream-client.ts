import { Agent, request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { tracedRequest } from '../tracing/tracing.js';
import type { AddressGuard } from './address-guard.js';
import { ApiUnreachable, credentialsOf, reasonOf } from './api-client.js';
import type { ApiServer } from './api-server.js';
import type { StreamedAnswer, StreamingClient } from './reflector/call.js';

/** In milliseconds, until the connection is made and encrypted. */
const CONNECT = 10_000;
/** Connections kept for the next request; each watch has one of its own. */
const MOST_FREE = 4;

/**
 * Reads answers of one API server as streams, at the pace of the reader. Redirects are not followed. Whoever asks sets the
 * deadlines for the answer.
 */
export class StreamClient implements StreamingClient {
  private readonly agent = new Agent({ keepAlive: true, maxFreeSockets: MOST_FREE });

  constructor(
    private readonly guard: AddressGuard,
    private readonly apiServer: ApiServer,
    private readonly connectWithin = CONNECT,
  ) {}

  /** @throws {ApiUnreachable} */
  async get(path: string, signal: AbortSignal): Promise<StreamedAnswer> {
    const { apiServer } = this;
    const url = new URL(`${apiServer.server}${path}`);
    try {
      this.guard.checkHost(url.hostname);
      const { headers, ...credentials } = await credentialsOf(apiServer);
      signal.throwIfAborted();
      return await tracedRequest({ method: 'GET', url, name: nameOf(url) }, (traceHeaders) => {
        const asked = {
          ...credentials,
          ...(apiServer.serverName !== undefined && { servername: apiServer.serverName }),
          headers: {
            ...headers,
            ...traceHeaders,
            accept: 'application/json',
            'accept-encoding': 'gzip',
            'user-agent': 'kube-placement',
          },
        };
        return this.send(url, asked, signal);
      });
    } catch (error) {
      throw error instanceof ApiUnreachable ? error : new ApiUnreachable(reasonOf(error));
    }
  }

  /** Ends the connections that are kept. */
  close(): void {
    this.agent.destroy();
  }

  private send(url: URL, options: RequestOptions, signal: AbortSignal): Promise<StreamedAnswer> {
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
          sent.destroy(new ApiUnreachable(`no connection within ${this.connectWithin / 1000} s`));
        }, this.connectWithin);
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
  const { statusCode = 0, headers } = response;
  const retryAfter = Number(headers['retry-after']);
  return {
    status: statusCode,
    contentType: headers['content-type'] ?? '',
    // As a date it is not used by API servers.
    retryAfter: Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter : undefined,
    body: bodyOf(response, headers['content-encoding']),
  };
}

function bodyOf(response: IncomingMessage, encoding: string | undefined): AsyncIterable<Buffer> {
  if (encoding !== 'gzip') return response;
  const inflated = createGunzip();
  // The error comes to whoever reads.
  pipeline(response, inflated, () => undefined);
  return inflated;
}
