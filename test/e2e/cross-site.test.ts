import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { nodeWrite } from '../support/audit-event.js';
import { list, node } from '../support/dumps.js';
import { plainRequest, rawExchange, type PlainAnswer } from '../support/plain-http.js';
import { startTestService, type TestService } from '../support/service.js';

const DASHBOARD = 'https://dash.example';
const BASE = '/api/v1/clusters';
const STREAM = 'application/octet-stream';
const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol': 'graphql-transport-ws',
};

function expectProblem(answer: PlainAnswer, status: number, code: string): void {
  expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(`"code":"${code}"`)]);
  expect(answer.headers['content-type']).toContain('application/problem+json');
  expect(answer.json).toMatchObject({ status, code, requestId: answer.headers['x-request-id'] });
}

describe('without authentication', () => {
  let service: TestService;
  let own: string;
  beforeAll(async () => {
    service = await startTestService({
      ALLOWED_ORIGINS: `${DASHBOARD}, http://localhost:8080`,
      ALLOWED_HOSTS: 'placement.internal,*.corp.example',
    });
    own = service.url;
    expect((await upload({})).status).toBe(201);
  });
  afterAll(() => service.close());

  const send = (method: string, path: string, headers: OutgoingHttpHeaders, body?: string): Promise<PlainAnswer> =>
    plainRequest(service.url + path, { method, headers, ...(body !== undefined && { body }) });
  const upload = (headers: OutgoingHttpHeaders): Promise<PlainAnswer> =>
    send('POST', `${BASE}/c/snapshots?createCluster=true`, { 'content-type': STREAM, ...headers }, list([node('a')]));
  const revisions = async (): Promise<unknown> =>
    (await service.request('GET', `${BASE}/c/snapshots`)).at('items.0.revision');

  const foreign: [string, OutgoingHttpHeaders][] = [
    ['an Origin of another site', { origin: 'https://evil.example' }],
    ['an Origin on another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['an Origin that only begins as an allowed one', { origin: `${DASHBOARD}.evil.example` }],
    ['an opaque Origin', { origin: 'null' }],
    ['an Origin that is none', { origin: 'x' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
    ['Sec-Fetch-Site: cross-site and a navigation', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ];
  it.each(foreign)('a write with %s is refused, and nothing is stored', async (_, headers) => {
    const before = await revisions();
    expectProblem(await upload(headers), 403, 'cross-site-request');
    const event = nodeWrite({ id: 'e1', node: 'a', at: '2026-01-01T00:00:00.000Z', user: 'admin', taints: [] });
    const events = await send(
      'POST',
      `${BASE}/c/audit-events`,
      { 'content-type': 'application/json', ...headers },
      JSON.stringify(event),
    );
    expectProblem(events, 403, 'cross-site-request');
    expect(events.headers['access-control-allow-origin']).toBeUndefined();
    const mutation = JSON.stringify({ query: 'mutation { deleteCluster(input: { cluster: "c" }) { name } }' });
    const graphql = await send('POST', '/graphql', { 'content-type': 'application/json', ...headers }, mutation);
    expect([graphql.status, graphql.text]).toEqual([403, expect.stringContaining('cross-site-request')]);
    expectProblem(await send('DELETE', `${BASE}/c`, headers), 403, 'cross-site-request');
    expect(await revisions()).toBe(before);
  });

  it.each(foreign.slice(0, 7))('a read with %s is refused', async (_, headers) => {
    expectProblem(await send('GET', `${BASE}/c/nodes`, headers), 403, 'cross-site-request');
  });

  it.each(foreign)('a WebSocket with %s is refused', async (_, headers) => {
    expectProblem(await send('GET', '/graphql', { ...UPGRADE, ...headers }), 403, 'cross-site-request');
  });

  it.each<[string, OutgoingHttpHeaders]>([
    [
      'a link on another site',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    ],
    ['an address that somebody types', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
    ['a page of its own', { 'sec-fetch-site': 'same-origin' }],
  ])('a read by %s is allowed', async (_, headers) => {
    expect((await send('GET', `${BASE}/c/nodes`, headers)).status).toBe(200);
  });

  it('a frame on another site stays empty', async () => {
    const framed = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
    expectProblem(await send('GET', '/graphiql', framed), 403, 'cross-site-request');
    const page = await send('GET', '/graphiql', {});
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });

  it('its own pages and pages of allowed origins read and write', async () => {
    for (const origin of [own, DASHBOARD, 'http://localhost:8080']) {
      const site = origin === own ? 'same-origin' : 'cross-site';
      expect((await upload({ origin, 'sec-fetch-site': site })).status).toBe(201);
      expect((await send('GET', `${BASE}/c/nodes`, { origin })).status).toBe(200);
      expect((await send('GET', '/graphql', { ...UPGRADE, origin })).status).toBe(101);
    }
    expect((await send('GET', '/graphql', UPGRADE)).status).toBe(101);
  });

  it.each([
    'text/plain',
    'text/plain;charset=UTF-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    undefined,
  ])('a body of content type %s, which any page can send, is refused with the allowed types', async (type) => {
    const before = await revisions();
    const headers = type === undefined ? {} : { 'content-type': type };
    for (const path of [`${BASE}/c/snapshots`, `${BASE}/c/audit-events`, `${BASE}/c/placements`]) {
      const answer = await send('POST', path, headers, list([node('b')]));
      expectProblem(answer, 415, 'unsupported-media-type');
      expect(answer.text).toContain('application/json');
    }
    expect(await revisions()).toBe(before);
  });

  it.each([
    'evil.example',
    'evil.example:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'corp.example',
    '10.0.0.1',
    '[::2]:80',
  ])('a request to the host %s is refused', async (host) => {
    for (const [method, path] of [
      ['GET', `${BASE}/c/nodes`],
      ['DELETE', `${BASE}/c`],
      ['GET', '/docs'],
    ] as const) {
      expectProblem(await send(method, path, { host }), 421, 'host-not-allowed');
    }
    expectProblem(
      await send('GET', '/graphql', { ...UPGRADE, host, origin: `http://${host}` }),
      421,
      'host-not-allowed',
    );
  });

  it.each([
    'localhost',
    'LOCALHOST:9999',
    'x.localhost:80',
    '127.0.0.1',
    '127.9.9.9:1',
    '[::1]:3000',
    'placement.internal:3000',
    'a.corp.example',
  ])('a request to the host %s is accepted', async (host) => {
    expect((await send('GET', `${BASE}/c/nodes`, { host, origin: `http://${host}` })).status).toBe(200);
  });

  it('an HTTP/1.0 request without a host, which no browser sends, is accepted', async () => {
    expect(await rawExchange(service.url, `GET ${BASE} HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('health checks are answered for any host', async () => {
    for (const path of ['/healthz', '/readyz']) {
      expect((await send('GET', path, { host: '10.1.2.3:3000' })).status).toBe(200);
    }
  });

  it('a request with two hosts or none is refused', async () => {
    for (const lines of ['', 'host: localhost\r\nhost: localhost\r\n']) {
      const text = await rawExchange(service.url, `GET ${BASE} HTTP/1.1\r\n${lines}connection: close\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
      expect(text).toContain('application/problem+json');
      expect(text).toContain('"code":"malformed-http"');
    }
  });

  describe('CORS', () => {
    const preflight = (path: string, headers: OutgoingHttpHeaders): Promise<PlainAnswer> =>
      send('OPTIONS', path, { 'access-control-request-method': 'POST', ...headers });

    it('answers the preflight request of an allowed origin', async () => {
      const asked = { origin: DASHBOARD, 'access-control-request-headers': 'content-type,authorization' };
      const answer = await preflight(`${BASE}/c/taint-changes`, asked);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': DASHBOARD,
        'access-control-allow-methods': 'GET, HEAD, POST',
        vary: expect.stringContaining('Origin'),
      });
      const allowed = answer.headers['access-control-allow-headers'];
      for (const name of ['authorization', 'content-type', 'if-match', 'idempotency-key', 'last-event-id']) {
        expect(allowed).toContain(name);
      }
      expect(Number(answer.headers['access-control-max-age'])).toBeGreaterThan(0);
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    });

    it('exposes responses, errors and the headers that a client needs to an allowed origin', async () => {
      for (const [path, status] of [
        [`${BASE}/c/nodes`, 200],
        [`${BASE}/absent/nodes`, 404],
        ['/absent', 404],
      ] as const) {
        const answer = await send('GET', path, { origin: DASHBOARD });
        expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([status, DASHBOARD]);
        for (const name of ['etag', 'x-request-id', 'link', 'retry-after']) {
          expect(answer.headers['access-control-expose-headers']).toContain(name);
        }
      }
    });

    it('exposes nothing to other origins', async () => {
      const refused = await preflight(`${BASE}/c/taint-changes`, { origin: 'https://evil.example' });
      expectProblem(refused, 403, 'cross-site-request');
      const plain = await send('GET', `${BASE}/c/nodes`, {});
      for (const answer of [refused, plain]) {
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
        expect(answer.headers.vary).toContain('Origin');
      }
      expect(plain.headers['cross-origin-resource-policy']).toBe('same-origin');
    });
  });
});

describe('with authentication', () => {
  const token = newToken();
  let folder: string;
  let service: TestService;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cross-site-'));
    const file = join(folder, 'auth.yaml');
    const tokens = [{ name: 'a', sha256: tokenHash(token).toString('hex') }];
    await writeFile(
      file,
      JSON.stringify({ tokens, bindings: [{ subjects: ['*'], clusters: ['*'], roles: ['admin'] }] }),
    );
    service = await startTestService({ AUTH_FILE: file });
  });
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });
  const authorization = `Bearer ${token}`;

  it('any host is accepted, since a page has no token', async () => {
    const answer = await plainRequest(`${service.url}${BASE}`, {
      headers: { authorization, host: 'placement.example' },
    });
    expect(answer.status).toBe(200);
  });

  it('requests of other origins are still refused', async () => {
    const headers = { authorization, origin: 'https://evil.example', 'content-type': 'application/json' };
    expectProblem(
      await plainRequest(`${service.url}${BASE}/x`, { method: 'PUT', headers, body: '{}' }),
      403,
      'cross-site-request',
    );
  });
});
