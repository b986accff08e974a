import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { list, node, send } from '../support/dumps.js';
import { rawExchange } from '../support/plain-http.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

const BASE = '/api/v1/clusters/c';
const LIMIT = 5;
const tokens = { root: newToken(), stranger: newToken(), reader: newToken(), apiServer: newToken() };

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'body-shares-'));
  const file = join(folder, 'auth.yaml');
  const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
  const bindings = [
    { subjects: ['token:root'], clusters: ['*'], roles: ['admin'] },
    { subjects: ['token:reader'], clusters: ['c'], roles: ['read'] },
    { subjects: ['token:apiServer'], clusters: ['c'], roles: ['evaluate'] },
  ];
  await writeFile(file, JSON.stringify({ tokens: entries, bindings }));
  service = await startTestService({ AUTH_FILE: file, RATE_LIMIT: String(LIMIT) });
  const taken = await send(service, `${BASE}/snapshots?createCluster=true`, list([node('a')]), bearer('root'));
  expect(taken.status).toBe(201);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const bearer = (name: keyof typeof tokens) => ({ authorization: `Bearer ${tokens[name]}` });

describe('permissions are checked before a body is read', () => {
  /** Announces a body and sends none of it: only a check before the body can respond. */
  const announce = (name: keyof typeof tokens, path: string, type = 'application/json'): Promise<string> =>
    rawExchange(
      service.url,
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: ${bearer(name).authorization}\r\ncontent-type: ${type}\r\n` +
        'content-length: 3000000\r\nconnection: close\r\n\r\n',
    );

  it.each([
    ['a webhook', `${BASE}/webhooks/mutate-pods`, 404, 'cluster-not-found'],
    ['a question', `${BASE}/placements`, 404, 'cluster-not-found'],
    ['a snapshot', `${BASE}/snapshots`, 404, 'cluster-not-found'],
    ['a question of many clusters', '/api/v1/placements', 413, 'body-too-large'],
    ['GraphQL', '/graphql', 413, 'body-too-large'],
  ])('for %s of a caller without a binding', async (_, path, status, code) => {
    const answer = await announce('stranger', path);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain(`"code":"${code}"`);
  });

  it('for an evaluation by a caller who may only read', async () => {
    expect(await announce('reader', `${BASE}/placements`)).toMatch(/^HTTP\/1.1 403 [^]*"code":"forbidden"/);
  });
});

describe('webhooks', () => {
  it('have a separate rate limit, ten times as high', async () => {
    const ask = (): Promise<Answer> =>
      service.request('POST', `${BASE}/webhooks/validate-pods`, {}, bearer('apiServer'));
    for (let time = 0; time < LIMIT * 10; time++) expect((await ask()).status).not.toBe(429);
    const refused = await ask();
    expect([refused.status, refused.at('code')]).toEqual([429, 'rate-limited']);
    expect(refused.headers.get('retry-after')).not.toBeNull();
  });
});

describe('a long JSON body', () => {
  it('is read like a short one, also beyond 2^53, without blocking other requests', async () => {
    const filler = `"x":[${'{"a":1},'.repeat(300_000)}{}]`;
    const long = service.request('POST', `${BASE}/findings`, `{${filler},"y":9223372036854775807}`, bearer('root'));
    let answered = 0;
    let done = false;
    void long.then(() => (done = true));
    while (!done) {
      expect((await service.request('GET', '/healthz')).status).toBe(200);
      if (!done) answered++;
    }
    const answer = await long;
    expect([answer.status, answer.at('code')]).toEqual([400, 'invalid-request']);
    expect(JSON.stringify(answer.at('errors'))).toContain('/y');
    expect(answered).toBeGreaterThan(5);
  });

  it('with an error at its end names the position', async () => {
    const body = `{"x":[\n${'{"a":1},'.repeat(50_000)}\n}`;
    const answer = await service.request('POST', `${BASE}/findings`, body, bearer('root'));
    expect([answer.status, answer.at('code'), answer.at('errors.0.line')]).toEqual([400, 'malformed-json', 3]);
  });
});
