import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { ManualClock } from '../support/manual-clock.js';
import { startTestService, type Answer, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';

const clock = new ManualClock();
const CLUSTER = '/api/v1/clusters/small';
let service: TestService;
beforeAll(async () => {
  service = await startTestService({}, { clock });
  await store(service, 'small', SMALL_CLUSTER);
});
afterAll(() => service.close());

const change = (taint: string, key?: string, more: object = {}): Promise<Answer> =>
  service.request(
    'POST',
    `${CLUSTER}/taint-changes`,
    { nodes: ['a'], taints: [taint], reason: 'a test', ...more },
    key === undefined ? {} : { 'idempotency-key': key },
  );
const head = async (): Promise<number> => Number((await service.request('GET', CLUSTER)).at('headRevision'));

describe('a request that changes nothing', () => {
  it('gets the same answer with its key, also after somebody else has changed what it asks for', async () => {
    expect((await change('k=v:NoSchedule')).status).toBe(201);
    const first = await change('k=v:NoSchedule', 'nothing', { overwrite: true });
    expect(first).toMatchObject({ status: 200, json: { change: null, replayed: false, nodes: [{ node: 'a' }] } });
    expect((await change('k-')).status).toBe(201);
    const before = await head();
    const again = await change('k=v:NoSchedule', 'nothing', { overwrite: true });
    expect(again.status).toBe(200);
    expect(again.json).toEqual({ ...(first.json as object), replayed: true });
    expect(await head()).toBe(before);
  });

  it('keeps its key from other requests', async () => {
    expect((await change('absent-', 'kept')).status).toBe(409);
    expect((await change('k2=v:NoSchedule')).status).toBe(201);
    expect(await change('k2=v:NoSchedule', 'kept', { overwrite: true })).toMatchObject({
      status: 200,
      json: { change: null },
    });
    const before = await head();
    expect(await change('other=v:NoSchedule', 'kept')).toMatchObject({
      status: 422,
      json: { code: 'idempotency-key-reused' },
    });
    expect(await head()).toBe(before);
  });

  it('gets the same answer in GraphQL', async () => {
    expect((await change('g=v:NoSchedule')).status).toBe(201);
    const mutation = `mutation ($input: TaintChangeInput!) { changeTaints(input: $input) {
      replayed change { id } basis { revision } nodes { node outcome } } }`;
    const input = { cluster: 'small', nodes: ['a'], taints: ['g=v:NoSchedule'], overwrite: true, reason: 'a test' };
    const ask = async (): Promise<unknown> =>
      (await service.graphql(mutation, { input: { ...input, idempotencyKey: 'by-graphql' } })).at('data.changeTaints');
    const first = await ask();
    expect(first).toMatchObject({ replayed: false, change: null, nodes: [{ node: 'a', outcome: 'unchanged' }] });
    expect((await change('g-')).status).toBe(201);
    expect(await ask()).toEqual({ ...(first as object), replayed: true });
  });

  it('is made anew with its key after 24 hours', async () => {
    expect((await change('d=v:NoSchedule')).status).toBe(201);
    expect((await change('d=v:NoSchedule', 'daily', { overwrite: true })).status).toBe(200);
    expect((await change('d-')).status).toBe(201);
    clock.pass(24 * 3600 - 1);
    expect((await change('d=v:NoSchedule', 'daily', { overwrite: true })).status).toBe(200);
    clock.pass(2);
    expect((await change('d=v:NoSchedule', 'daily', { overwrite: true })).status).toBe(201);
    expect((await change('d=v:NoSchedule', 'daily', { overwrite: true })).at('replayed')).toBe(true);
  });

  it('hides the values of taints from who may not see them, also where the response is a text', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'no-op-'));
    const file = join(folder, 'auth.json');
    const tokens = { sees: newToken(), blind: newToken() };
    const bindings = [
      { subjects: ['token:sees'], clusters: ['*'], roles: ['admin'] },
      { subjects: ['token:blind'], clusters: ['*'], roles: ['change'], taintValues: false },
    ];
    const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
    await writeFile(file, JSON.stringify({ tokens: entries, bindings }));
    const guarded = await startTestService({ AUTH_FILE: file });
    const as = (token: string) => ({ authorization: `Bearer ${token}` });
    const put = (method: string, path: string, body: object): Promise<Answer> =>
      guarded.request(method, path, body, as(tokens.sees));
    await put('POST', `${CLUSTER}/snapshots?createCluster=true`, {
      kind: 'List',
      apiVersion: 'v1',
      items: SMALL_CLUSTER,
    });
    const taint = (word: string): Promise<Answer> =>
      put('POST', `${CLUSTER}/taint-changes`, { nodes: ['a'], taints: [word], reason: 'a test' });
    expect((await taint('k=quokka:NoSchedule')).status).toBe(201);
    const query = 'mutation ($input: TaintChangeInput!) { changeTaints(input: $input) { kubectl } }';
    const input = {
      cluster: 'small',
      nodes: ['a'],
      taints: ['k=quokka:NoSchedule'],
      overwrite: true,
      reason: 'a test',
    };
    const ask = async (): Promise<string> =>
      (
        await guarded.request(
          'POST',
          '/graphql',
          { query, variables: { input: { ...input, idempotencyKey: 'blind' } } },
          as(tokens.blind),
        )
      ).text;
    const first = await ask();
    expect(first).toContain('***');
    expect((await taint('k-')).status).toBe(201);
    expect(await ask()).toBe(first);
    await guarded.close();
    await rm(folder, { recursive: true });
  });
});
