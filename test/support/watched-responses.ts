import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as zlib from 'node:zlib';
import { documentedResponses, type Headers } from './documented-responses.js';

/** A response that the service sends, to any client. */
interface Watched {
  readonly request: IncomingMessage;
  readonly chunks: Buffer[];
  status: number;
  headers: Headers;
  /** `unheard`: the client had gone before it was sent. */
  state: 'open' | 'complete' | 'cut' | 'unheard';
}

interface StartedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly server: Server;
}

/** Node's diagnostics channel: it has every response, whether a test uses `fetch`, `node:http`, another client or a raw socket. */
const STARTED = 'http.server.request.start';

const ports = new Set<number>();
const watched = new Set<Watched>();

/**
 * Keeps the responses of the server on this port until `checkResponses` compares them.
 * @returns a function that stops this
 */
export function watchResponses(url: string): () => void {
  const port = Number(new URL(url).port);
  if (ports.size === 0) subscribe(STARTED, begin);
  ports.add(port);
  return () => {
    ports.delete(port);
    if (ports.size === 0) unsubscribe(STARTED, begin);
  };
}

/**
 * Compares the responses since the last call with the OpenAPI document. Of unfinished responses it compares the complete pieces.
 * @throws {Error} with every difference
 */
export function checkResponses(): void {
  const differences = new Set<string>();
  for (const one of watched) {
    if (one.state !== 'open') watched.delete(one);
    try {
      check(one);
    } catch (error) {
      differences.add((error as Error).message);
    }
  }
  if (differences.size > 0) throw new Error([...differences].join('\n\n'));
}

function begin(message: unknown): void {
  const { request, response, server } = message as StartedRequest;
  if (!ports.has((server.address() as AddressInfo | null)?.port ?? 0)) return;
  const one: Watched = { request, chunks: [], status: 0, headers: {}, state: 'open' };
  watched.add(one);
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  const writeHead = response.writeHead.bind(response);
  // The framework passes headers here that `getHeaders` does not return.
  response.writeHead = ((status: number, ...rest: (string | OutgoingHttpHeaders | undefined)[]) => {
    const given = rest.find((part) => typeof part === 'object');
    one.headers = { ...response.getHeaders(), ...lowerCase(given ?? {}) };
    return writeHead(status, ...(rest as [OutgoingHttpHeaders]));
  }) as typeof writeHead;
  const keep = (chunk: unknown, encoding: unknown): void => {
    if (typeof chunk === 'string') one.chunks.push(Buffer.from(chunk, encoding as BufferEncoding));
    if (chunk instanceof Uint8Array) one.chunks.push(Buffer.from(chunk));
    one.status = response.statusCode;
    if (!response.headersSent) one.headers = { ...response.getHeaders() };
  };
  response.write = ((...given: [unknown, unknown]) => {
    keep(given[0], typeof given[1] === 'string' ? given[1] : 'utf8');
    return write(...(given as [string, BufferEncoding]));
  }) as typeof write;
  response.end = ((...given: [unknown, unknown]) => {
    keep(given[0], typeof given[1] === 'string' ? given[1] : 'utf8');
    one.state = response.destroyed || request.socket.destroyed ? 'unheard' : 'complete';
    return end(...(given as [string, BufferEncoding]));
  }) as typeof end;
  response.once('close', () => {
    if (one.state === 'open') one.state = 'cut';
  });
}

function lowerCase(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  identity: (bytes) => bytes,
  br: (bytes) => zlib.brotliDecompressSync(bytes),
  deflate: (bytes) => zlib.inflateSync(bytes),
  gzip: (bytes) => zlib.gunzipSync(bytes),
  // Node.js has it since 22.15.
  zstd: (bytes) => (zlib as unknown as { zstdDecompressSync: (bytes: Buffer) => Buffer }).zstdDecompressSync(bytes),
};

function check(one: Watched): void {
  const { request, status, headers, state } = one;
  // Not started, or aborted before its start.
  if (status === 0 || state === 'unheard') return;
  const isWhole = state === 'complete';
  const encoding = headers['content-encoding'] ?? 'identity';
  // The rest of a truncated compressed response is not readable.
  if (!isWhole && encoding !== 'identity') return;
  const bytes = Buffer.concat(one.chunks.splice(0));
  const body = DECODERS[encoding]!(bytes);
  const rest = documentedResponses().check({
    method: request.method ?? '',
    path: request.url ?? '',
    status,
    headers,
    text: body.toString(),
    isWhole,
  });
  if (state === 'open' && rest !== '') one.chunks.push(Buffer.from(rest));
}
