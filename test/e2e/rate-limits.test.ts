import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';

const CLUSTERS = '/api/v1/clusters';
const LIMIT = 3;
const tokens = { a: newToken(), b: newToken() };

let folder: string;
let service: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rate-limits-'));
  const file = join(folder, 'auth.yaml');
  const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
  await writeFile(
    file,
    JSON.stringify({ tokens: entries, bindings: [{ subjects: ['*'], clusters: ['*'], roles: ['read'] }] }),
  );
  service = await startTestService({ AUTH_FILE: file, RATE_LIMIT: String(LIMIT) });
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true, force: true });
});

const ask = (token: string, path: string, body?: object): Promise<Answer> =>
  service.request(body === undefined ? 'GET' : 'POST', path, body, { authorization: `Bearer ${token}` });

async function statuses(times: number, asked: () => Promise<Answer>): Promise<number[]> {
  const found: number[] = [];
  for (let time = 0; time < times; time++) found.push((await asked()).status);
  return found;
}

describe('the rate limit', () => {
  it('counts each caller and each route, and returns what is left', async () => {
    const first = await ask(tokens.a, CLUSTERS);
    expect(first.headers.get('ratelimit-policy')).toBe(`"requests";q=${LIMIT};w=60`);
    expect(first.headers.get('ratelimit')).toMatch(/^"requests";r=2;t=(59|60)$/);
    expect(await statuses(LIMIT, () => ask(tokens.a, CLUSTERS))).toEqual([200, 200, 429]);
    expect((await ask(tokens.a, '/api/v1/well-known-taints')).status).toBe(200);
    expect((await ask(tokens.b, CLUSTERS)).status).toBe(200);
  });

  it('counts a route across its path parameters', async () => {
    let name = 0;
    const next = (): Promise<Answer> => ask(tokens.a, `${CLUSTERS}/absent-${++name}`);
    expect(await statuses(LIMIT + 1, next)).toEqual([404, 404, 404, 429]);
  });

  it('returns Retry-After', async () => {
    await statuses(LIMIT, () => ask(tokens.b, CLUSTERS));
    const answer = await ask(tokens.b, CLUSTERS);
    expect(answer.at('code')).toBe('rate-limited');
    expect(answer.headers.get('ratelimit')).toMatch(/^"requests";r=0;t=\d+$/);
    const wait = Number(answer.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(50);
    expect(wait).toBeLessThanOrEqual(60);
    expect(answer.at('detail')).toContain(`${wait} seconds`);
  });

  it('applies to GraphQL, in its error format', async () => {
    const query = { query: '{ __typename }' };
    expect(await statuses(LIMIT, () => ask(tokens.a, '/graphql', query))).toEqual([200, 200, 200]);
    const answer = await ask(tokens.a, '/graphql', query);
    expect(answer.status).toBe(429);
    expect(answer.at('errors.0.extensions.code')).toBe('rate-limited');
    expect(answer.headers.get('retry-after')).not.toBeNull();
  });

  it('applies to failed authentication, without affecting authenticated callers', async () => {
    expect(await statuses(LIMIT + 1, () => ask(newToken(), CLUSTERS))).toEqual([401, 401, 401, 429]);
    expect((await ask(tokens.b, `${CLUSTERS}/absent`)).status).toBe(404);
  });

  it('does not apply to health checks and documentation', async () => {
    expect(await statuses(LIMIT + 2, () => service.request('GET', '/healthz'))).toEqual([200, 200, 200, 200, 200]);
  });
});
