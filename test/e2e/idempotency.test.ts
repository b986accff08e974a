import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Clock } from '../../src/app/clock.js';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { list, node, send } from '../support/dumps.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { sql } from '../support/sql.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

class SetClock extends Clock {
  at = new Date('2026-05-04T12:00:00Z');
  override now(): Date {
    return this.at;
  }
}

const clock = new SetClock();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { clock });
  await store(service, 'small', SMALL_CLUSTER);
});
afterAll(() => service.close());

const POOL = {
  nodes: { matchLabels: { pool: 'plain' } },
  taints: ['dedicated=p:NoSchedule'],
  labels: { dedicated: 'p' },
  users: { namespaces: ['t'] },
};
const CLUSTER = '/api/v1/clusters/small';
const write = (method: string, path: string, key: string, body?: object): Promise<Answer> =>
  service.request(method, path, body, { 'idempotency-key': key });
const revisions = async (): Promise<number> => Number((await service.request('GET', CLUSTER)).at('headRevision'));

describe('a write that is repeated with its key', () => {
  it.each<[string, string, string, object | undefined]>([
    ['a cluster that is created', 'PUT', '/api/v1/clusters/made', { labels: { env: 'prod' } }],
    ['a cluster that is deleted', 'DELETE', '/api/v1/clusters/made', undefined],
    ['a pool', 'PUT', `${CLUSTER}/pools/p`, POOL],
    ['a pool that is deleted', 'DELETE', `${CLUSTER}/pools/p`, undefined],
    ['retention', 'POST', `${CLUSTER}/retention`, { keepRevisions: 5 }],
    ['the reset of a configuration', 'DELETE', `${CLUSTER}/scheduler-configuration`, undefined],
  ])('gets the first response: %s', async (name, method, path, body) => {
    const first = await write(method, path, name, body);
    expect({ status: first.status < 300, text: first.text }).toEqual({ status: true, text: first.text });
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const before = await revisions();
    const again = await write(method, path, name, body);
    expect(again).toMatchObject({ status: first.status, text: first.text });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(await revisions()).toBe(before);
  });

  it('stores a snapshot once', async () => {
    const path = `${CLUSTER}/snapshots?source=cron`;
    const body = list([...SMALL_CLUSTER, node('another')]);
    const first = await send(service, path, body, { 'idempotency-key': '"upload-1"' });
    expect(first.status).toBe(201);
    const head = await revisions();
    const again = await send(service, path, body, { 'idempotency-key': 'upload-1' });
    expect(again).toMatchObject({ status: 201, text: first.text });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await revisions()).toBe(head);
    const longer = await send(service, path, `${body}\n`, { 'idempotency-key': 'upload-1' });
    expect(longer).toMatchObject({ status: 422, json: { code: 'idempotency-key-reused' } });
  });

  it('works for mutations of GraphQL', async () => {
    const query = 'mutation { putCluster(input: { cluster: "by-graphql", labels: { a: "b" } }) { name labels } }';
    const headers = { 'idempotency-key': 'graphql-1' };
    const first = await service.request('POST', '/graphql', { query }, headers);
    expect(first.at('data.putCluster.name')).toBe('by-graphql');
    const again = await service.request('POST', '/graphql', { query }, headers);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('gets the same refusal if it was based on stored state, and is executed again otherwise', async () => {
    const missing = `/api/v1/clusters/later`;
    const refused = await write('DELETE', missing, 'gone');
    expect(refused.status).toBe(404);
    await service.request('PUT', missing, {});
    const again = await write('DELETE', missing, 'gone');
    expect(again).toMatchObject({ status: 404, text: refused.text });
    expect((await service.request('GET', missing)).status).toBe(200);

    const broken = await send(service, `${CLUSTER}/snapshots`, '{"kind":', { 'idempotency-key': 'broken' });
    expect(broken.status).toBe(400);
    const mended = await send(service, `${CLUSTER}/snapshots`, '{"kind":', { 'idempotency-key': 'broken' });
    expect(mended.headers.get('idempotency-replayed')).toBeNull();
  });
});

describe('a key', () => {
  it('belongs to one request, and another request with it is refused and stores nothing', async () => {
    expect((await write('PUT', '/api/v1/clusters/one', 'shared', { labels: { a: '1' } })).status).toBe(201);
    for (const [path, body] of [
      ['/api/v1/clusters/one', { labels: { a: '2' } }],
      ['/api/v1/clusters/two', { labels: { a: '1' } }],
    ] as const) {
      const refused = await write('PUT', path, 'shared', body);
      expect(refused).toMatchObject({
        status: 422,
        json: { code: 'idempotency-key-reused', errors: [{ field: 'Idempotency-Key' }] },
      });
    }
    expect((await service.request('GET', '/api/v1/clusters/one')).at('labels')).toEqual({ a: '1' });
    expect((await service.request('GET', '/api/v1/clusters/two')).status).toBe(404);
  });

  it('is in use while its first request runs', async () => {
    let finish!: () => void;
    const held = new Promise<void>((resolve) => (finish = resolve));
    const text = list(SMALL_CLUSTER);
    async function* slowly(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(text.slice(0, 10));
      await held;
      yield Buffer.from(text.slice(10));
    }
    const path = `${CLUSTER}/snapshots?allowRemovals=true`;
    const headers = { 'idempotency-key': 'slow' };
    const first = send(service, path, slowly(), headers);
    const claimed = "select 1 from idempotency_keys where key = 'slow'";
    while ((await sql(service.databaseUrl, claimed)).length === 0);
    const atOnce = (): Readable => Readable.from([Buffer.from(text)]);
    let second = await send(service, path, atOnce(), headers);
    expect(second).toMatchObject({ status: 409, json: { code: 'idempotency-key-in-use' } });
    expect(second.headers.get('retry-after')).toBe('1');
    finish();
    expect((await first).status).toBeLessThan(300);
    second = await send(service, path, atOnce(), headers);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  it('is kept for 24 hours', async () => {
    const path = '/api/v1/clusters/day';
    expect((await write('PUT', path, 'daily', {})).status).toBe(201);
    clock.at = new Date(clock.at.getTime() + 24 * 3600_000 - 1000);
    expect((await write('PUT', path, 'daily', {})).status).toBe(201);
    clock.at = new Date(clock.at.getTime() + 2000);
    const later = await write('PUT', path, 'daily', {});
    expect([later.status, later.headers.get('idempotency-replayed')]).toEqual([200, null]);
    const kept = await sql(service.databaseUrl, 'select key from idempotency_keys');
    expect(kept).toEqual([{ key: 'daily' }]);
  });

  it('that a lost process left can be used again for the same request', async () => {
    const path = '/api/v1/clusters/lost';
    expect((await write('PUT', path, 'left', {})).status).toBe(201);
    await sql(
      service.databaseUrl,
      "update idempotency_keys set status = null, body = null, headers = null where key = 'left'",
    );
    expect((await write('PUT', path, 'left', {})).status).toBe(409);
    clock.at = new Date(clock.at.getTime() + 61_000);
    expect((await write('PUT', path, 'left', {})).status).toBe(200);
  });

  it.each(['', '""', '"a', 'x'.repeat(256), '"é"'])('that cannot be read is refused: %j', async (key) => {
    const bytes = Buffer.from(key, 'utf8').toString('latin1');
    const refused = await write('PUT', '/api/v1/clusters/never', bytes, {});
    expect(refused).toMatchObject({ status: 400, json: { errors: [{ field: 'Idempotency-Key' }] } });
    expect((await service.request('GET', '/api/v1/clusters/never')).status).toBe(404);
  });

  it('is ignored by reads', async () => {
    for (let time = 0; time < 2; time++) {
      const answer = await service.request('GET', CLUSTER, undefined, { 'idempotency-key': 'question' });
      expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([200, null]);
    }
  });

  it('belongs to its caller', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'idempotency-'));
    const file = join(folder, 'auth.json');
    const tokens = { a: newToken(), b: newToken() };
    const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
    const bindings = [{ subjects: ['token:a', 'token:b'], clusters: ['*'], roles: ['admin'] }];
    await writeFile(file, JSON.stringify({ tokens: entries, bindings }));
    const guarded = await startTestService({ AUTH_FILE: file });
    const put = (token: string, name: string): Promise<Answer> =>
      guarded.request(
        'PUT',
        `/api/v1/clusters/${name}`,
        {},
        { authorization: `Bearer ${token}`, 'idempotency-key': 'k' },
      );
    expect((await put(tokens.a, 'of-a')).status).toBe(201);
    expect((await put(tokens.b, 'of-b')).status).toBe(201);
    expect((await put(tokens.b, 'of-a')).status).toBe(422);
    await guarded.close();
    await rm(folder, { recursive: true, force: true });
  });
});
