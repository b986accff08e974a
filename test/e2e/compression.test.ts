import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { get, type IncomingMessage } from 'node:http';
import * as zlib from 'node:zlib';
import { node } from '../support/dumps.js';
import { startTestService, type TestService } from '../support/service.js';
import { store } from '../support/small-cluster.js';

type Decoder = (bytes: Buffer) => Buffer;
const { zstdDecompressSync } = zlib as { readonly zstdDecompressSync?: Decoder };
const DECODERS: Readonly<Record<string, Decoder>> = {
  br: zlib.brotliDecompressSync,
  gzip: zlib.gunzipSync,
  deflate: zlib.inflateSync,
  ...(zstdDecompressSync && { zstd: zstdDecompressSync }),
};

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  const nodes = Array.from({ length: 1000 }, (_, index) => node(`node-${index}`));
  await store(service, 'large', nodes);
});
afterAll(() => service.close());

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

/** `fetch` would decode the response. */
const receive = (path: string, headers: Record<string, string>): Promise<Received> =>
  new Promise((resolve, reject) => {
    get(service.url + path, { headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        resolve({ headers: response.headers, bytes: Buffer.concat(chunks) });
      });
    }).on('error', reject);
  });

const NODES = '/api/v1/clusters/large/nodes?limit=1000&fields=name,version';

describe('a response is compressed', () => {
  it.each(Object.entries(DECODERS))('with %s, if that is accepted', async (encoding, decode) => {
    const plain = await receive(NODES, {});
    expect(plain.headers).not.toHaveProperty('content-encoding');
    const { headers, bytes } = await receive(NODES, { 'accept-encoding': encoding });
    expect(headers).toMatchObject({ 'content-encoding': encoding });
    expect(headers.vary).toMatch(/accept-encoding/i);
    expect(bytes.length).toBeLessThan(plain.bytes.length / 2);
    const items = (body: Buffer): unknown => (JSON.parse(body.toString()) as { readonly items: unknown }).items;
    expect(items(decode(bytes))).toEqual(items(plain.bytes));
  });

  it('as the caller prefers, with brotli on equal preference', async () => {
    for (const [accepted, expected] of [
      ['gzip, deflate, br', 'br'],
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip;q=1, br;q=0.5', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['*', 'gzip'],
    ] as const) {
      const { headers } = await receive(NODES, { 'accept-encoding': accepted });
      expect([accepted, headers['content-encoding']]).toEqual([accepted, expected]);
    }
  });

  it('also if it is CSV', async () => {
    const { headers, bytes } = await receive('/api/v1/clusters/large/nodes?format=csv', { 'accept-encoding': 'br' });
    expect(headers['content-encoding']).toBe('br');
    expect(zlib.brotliDecompressSync(bytes).toString().split('\r\n')).toHaveLength(1002);
  });

  it('but not if it is short', async () => {
    const { headers } = await receive('/api/v1/clusters', { 'accept-encoding': 'br' });
    expect(headers).not.toHaveProperty('content-encoding');
  });
});
