import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { newToken, tokenHash } from '../../src/auth/token-hash.js';
import { list } from '../support/dumps.js';
import { DEVICE_KINDS, GPU_CLASS, GPU_DRIVER, gpuSlice } from '../support/gpus.js';
import { ManualClock } from '../support/manual-clock.js';
import { STATEMENTS_WAITING } from '../support/postgres.js';
import { type Answer, startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER } from '../support/small-cluster.js';

const tokens = { alice: newToken(), bob: newToken() };
const clock = new ManualClock();
/** Two services on one database. */
let one: TestService;
let other: TestService;
let folder: string;
/** Holds locks of the database; another client sees what waits for them. */
let holder: pg.Client;
let watcher: pg.Client;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'late-'));
  const file = join(folder, 'auth.json');
  const entries = Object.entries(tokens).map(([name, token]) => ({ name, sha256: tokenHash(token).toString('hex') }));
  const bindings = [{ subjects: ['token:alice', 'token:bob'], clusters: ['*'], roles: ['admin', 'approve'] }];
  await writeFile(file, JSON.stringify({ tokens: entries, bindings }));
  const settings = { AUTH_FILE: file, RATE_LIMIT: '0' };
  one = await startTestService(settings, { clock });
  other = await startTestService({ ...settings, DATABASE_URL: one.databaseUrl }, { clock });
  holder = new pg.Client(one.databaseUrl);
  watcher = new pg.Client(one.databaseUrl);
  await Promise.all([holder.connect(), watcher.connect()]);
});
afterAll(async () => {
  await Promise.all([holder.end(), watcher.end()]);
  await other.close();
  await one.close();
  await rm(folder, { recursive: true, force: true });
});

let cluster = '';
let made = 0;
beforeEach(async () => {
  cluster = `c${++made}`;
  const objects = [...SMALL_CLUSTER, GPU_CLASS, gpuSlice('a', 'gpu-0')];
  expect((await send(one, 'POST', `/snapshots?createCluster=true&kinds=${DEVICE_KINDS}`, list(objects))).status).toBe(
    201,
  );
});
afterEach(async () => {
  await holder.query('rollback');
  // Nothing that expires may wait for a lock of the next test.
  expect((await send(one, 'DELETE', '')).status).toBe(200);
});

const send = (
  to: TestService,
  method: string,
  path: string,
  body?: object | string,
  { by = 'alice', ...headers }: { by?: keyof typeof tokens } & Record<string, string> = {},
): Promise<Answer> =>
  to.request(method, `/api/v1/clusters/${cluster}${path}`, body, {
    authorization: `Bearer ${tokens[by]}`,
    ...headers,
  });

/** @param seconds from now */
const inSeconds = (seconds: number): string => new Date(clock.now().getTime() + seconds * 1000).toISOString();

const revision = async (): Promise<unknown> => (await send(one, 'GET', '/snapshots/head')).at('basis.revision');

/** A request that is sent to either service under one key. */
interface Kind {
  readonly path: string;
  readonly body: object;
  /** What the first one to be made is answered. */
  readonly status: number;
  /** The table that its transaction writes, once it has the lock of the cluster. */
  readonly table: string;
}

const DEADLINE = 2;
const CHANGE = { nodes: ['a'], taints: ['late:NoSchedule'], reason: 'a test' };
const TAINTED = { ...CHANGE, taints: ['tainted:NoSchedule'] };

const KINDS: readonly (readonly [string, () => Promise<Kind>])[] = [
  [
    'a taint change',
    () =>
      Promise.resolve({
        path: '/taint-changes',
        body: { ...CHANGE, expiresAt: inSeconds(DEADLINE) },
        status: 201,
        table: 'taint_trail',
      }),
  ],
  [
    'one that changes nothing',
    async () => {
      expect((await send(one, 'POST', '/taint-changes', TAINTED)).status).toBe(201);
      return {
        path: '/taint-changes',
        body: { ...TAINTED, overwrite: true, expiresAt: inSeconds(DEADLINE) },
        status: 200,
        table: 'no_op_answers',
      };
    },
  ],
  [
    'one that needs approval',
    async () => {
      await guard();
      return {
        path: '/taint-changes',
        body: { ...CHANGE, approveBy: inSeconds(DEADLINE) },
        status: 202,
        table: 'asked_changes',
      };
    },
  ],
  [
    'a revert',
    async () => {
      const { json } = await send(one, 'POST', '/taint-changes', TAINTED);
      return {
        path: `/taint-changes/${(json as { change: { id: string } }).change.id}/revert`,
        body: { reason: 'a test', approveBy: inSeconds(DEADLINE) },
        status: 201,
        table: 'taint_trail',
      };
    },
  ],
  [
    'a change of a DeviceTaintRule',
    () =>
      Promise.resolve({
        path: '/device-taint-changes',
        body: {
          put: {
            apiVersion: 'resource.k8s.io/v1alpha3',
            kind: 'DeviceTaintRule',
            metadata: { name: 'late' },
            spec: { deviceSelector: { driver: GPU_DRIVER }, taint: { key: 'late', effect: 'NoSchedule' } },
          },
          reason: 'a test',
          expiresAt: inSeconds(DEADLINE),
        },
        status: 201,
        table: 'taint_trail',
      }),
  ],
];

async function guard(): Promise<void> {
  const guardrails = [{ name: 'somebody looks', require: 'false', action: 'requireApproval' }];
  const document = { apiVersion: 'kube-placement/v1', kind: 'Guardrails', guardrails };
  expect((await send(one, 'PUT', '/guardrails', document)).status).toBe(200);
}

const keyed = (to: TestService, { path, body }: Kind): Promise<Answer> =>
  send(to, 'POST', path, body, { 'idempotency-key': 'a key' });

/** Resolves when so many statements wait for a lock, or the answer is there. */
async function waiting(count: number, answer: Promise<Answer>): Promise<void> {
  let isAnswered = false;
  void answer.then(() => (isAnswered = true));
  while (!isAnswered) {
    const { rows } = await watcher.query<{ count: number }>(STATEMENTS_WAITING);
    if (rows[0]!.count >= count) return;
  }
}

const lockCluster = async (): Promise<void> => {
  await holder.query('begin');
  await holder.query('select from clusters where name = $1 for no key update', [cluster]);
};

const inThePast = ({ body }: Pick<Kind, 'body'>): object => {
  const member = 'expiresAt' in body ? 'expiresAt' : 'approveBy';
  return {
    status: 400,
    json: { code: 'invalid-request', errors: [{ field: member, pointer: `/${member}`, code: 'in-the-past' }] },
  };
};

describe.each(KINDS)('%s under a key', (_, kindOf) => {
  it('gets the answer to an equal request that came in time, although that one is still being made', async () => {
    const kind = await kindOf();
    await holder.query('begin');
    await holder.query(`lock table ${kind.table} in share mode`);
    const first = keyed(one, kind);
    await waiting(1, first);
    clock.pass(DEADLINE);
    const second = keyed(other, kind);
    await waiting(2, second);
    await holder.query('rollback');
    const [made, repeated] = await Promise.all([first, second]);
    expect([made.status, made.at('replayed')]).toEqual([kind.status, false]);
    expect([repeated.at('replayed'), repeated.at('change.id')]).toEqual([true, made.at('change.id')]);
  });

  it('is refused if its time is over before it can be made, as is an equal one that came too late', async () => {
    const kind = await kindOf();
    const before = await revision();
    await lockCluster();
    const first = keyed(one, kind);
    await waiting(1, first);
    clock.pass(DEADLINE);
    const second = keyed(other, kind);
    await waiting(2, second);
    await holder.query('rollback');
    for (const answer of await Promise.all([first, second])) expect(answer).toMatchObject(inThePast(kind));
    expect(await keyed(one, kind)).toMatchObject(inThePast(kind));
    expect(await revision()).toBe(before);
  });
});

describe('taint changes that come too late', () => {
  it('wait with one connection to the database, and keep no other request waiting', async () => {
    await lockCluster();
    const body = { ...CHANGE, expiresAt: inSeconds(-1) };
    const late = Array.from({ length: 30 }, (_, index) =>
      send(one, 'POST', '/taint-changes', body, { 'idempotency-key': `key ${index}` }),
    );
    await waiting(1, Promise.race(late));
    expect((await send(one, 'GET', '/taint-changes')).status).toBe(200);
    const { rows } = await watcher.query<{ count: number }>(STATEMENTS_WAITING);
    expect(rows[0]!.count).toBe(1);
    await holder.query('rollback');
    for (const answer of await Promise.all(late)) expect(answer).toMatchObject(inThePast({ body }));
  });
});

describe('a taint change whose time is over before it can be made', () => {
  it('is refused without a key, too', async () => {
    await lockCluster();
    const answer = send(one, 'POST', '/taint-changes', { ...CHANGE, expiresAt: inSeconds(DEADLINE) });
    await waiting(1, answer);
    clock.pass(DEADLINE);
    await holder.query('rollback');
    expect(await answer).toMatchObject({ status: 400, json: { errors: [{ code: 'in-the-past' }] } });
  });

  it('is refused in GraphQL with the place in its argument', async () => {
    await lockCluster();
    const query = 'mutation ($input: TaintChangeInput!) { changeTaints(input: $input) { change { id } } }';
    const input = { cluster, ...CHANGE, expiresAt: inSeconds(DEADLINE) };
    const authorization = `Bearer ${tokens.alice}`;
    const answer = one.request('POST', '/graphql', { query, variables: { input } }, { authorization });
    await waiting(1, answer);
    clock.pass(DEADLINE);
    await holder.query('rollback');
    expect((await answer).at('errors.0.extensions.errors.0')).toMatchObject({
      field: 'input.expiresAt',
      pointer: '/input/expiresAt',
      code: 'in-the-past',
    });
  });
});

describe.each(['approve', 'reject'])('a decision to %s', (decision) => {
  it('does not count if it can only be recorded when its time is over', async () => {
    await guard();
    const asked = await send(one, 'POST', '/taint-changes', { ...CHANGE, approveBy: inSeconds(DEADLINE) });
    expect(asked.status).toBe(202);
    await lockCluster();
    const path = `/taint-changes/${String(asked.at('change.id'))}/${decision}`;
    const decided = send(one, 'POST', path, { reason: 'looked' }, { by: 'bob' });
    await waiting(1, decided);
    clock.pass(DEADLINE);
    await holder.query('rollback');
    expect(await decided).toMatchObject({ status: 409, json: { code: 'change-not-waiting' } });
  });
});
