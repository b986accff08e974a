import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

/** A complete response. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
}

export interface PlainRequest {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

/** A request with exactly these headers (and `Host`, unless they name one): `fetch` sets some of its own and refuses others. */
export function plainRequest(url: string, { method = 'GET', headers = {}, body }: PlainRequest): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () => {
        const isJson = /\bjson\b/.test(response.headers['content-type'] ?? '');
        const json: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
      });
    });
    sent.on('error', reject);
    // The upgrade was refused: the response instead of 101.
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: '', json: undefined });
    });
    sent.end(body);
  });
}

/** Sends raw bytes, and returns everything that is received until the other side closes the connection. */
export function rawExchange(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let got = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (got += chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(got);
    });
  });
}
