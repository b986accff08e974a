import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { list, node, pod, send } from '../support/dumps.js';
import { Followers, openStreams } from '../support/followers.js';
import type { Answer } from '../support/service.js';
import { startTestService, type TestService } from '../support/service.js';
import { sql } from '../support/sql.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ LIVE_HEARTBEAT: '1' });
});
afterAll(() => service.close());

const CLUSTERS = '/api/v1/clusters';
const get = (path: string) => service.request('GET', `${CLUSTERS}/${path}`);

describe('when the disk of the database is full', () => {
  it('writes get 503 with the cause, and reads continue', async () => {
    const run = (statement: string) => sql(service.databaseUrl, statement);
    await run(
      `create function fill() returns trigger language plpgsql as $$
       begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
       create trigger full_disk before insert on clusters for each row execute function fill()`,
    );
    const answer = await service.request('PUT', `${CLUSTERS}/full`, {});
    expect(answer.json).toMatchObject({
      status: 503,
      code: 'database-unavailable',
      detail: 'The disk of the database is full; nothing can be stored until space is freed.',
    });
    expect((await service.request('GET', CLUSTERS)).status).toBe(200);
    await run('drop function fill() cascade');
  });
});

describe('when Postgres is killed', () => {
  it('during a snapshot, the response is 503, nothing is half-written, and the service recovers', async () => {
    const before = list([node('a'), pod('default/x', 'a')]);
    expect((await send(service, `${CLUSTERS}/prod/snapshots?createCluster=true`, before)).status).toBe(201);
    expect((await get('prod/snapshots/head')).status).toBe(200);

    let killed!: () => void;
    const isDown = new Promise<void>((resolve) => (killed = resolve));
    const taking = send(service, `${CLUSTERS}/prod/snapshots`, halfThenRest(isDown));
    await until(async () => (await staging()) > 0);
    await kill();
    killed();
    const answer = await taking;
    expect(answer.json).toMatchObject({ status: 503, code: 'database-unavailable' });
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);

    let last: Answer | undefined;
    await until(async () => {
      last = await get('prod/snapshots/head');
      // While it is down: 503, and never a result from a head that may be outdated.
      expect([200, 503]).toContain(last.status);
      return last.status === 200;
    });
    expect(last?.json).toMatchObject({ basis: { revision: 1 } });
    expect((await get('prod/snapshots')).at('items.length')).toBe(1);
    expect(await versions()).toBe(2);
    expect((await service.request('GET', '/readyz')).status).toBe(200);

    const after = await send(
      service,
      `${CLUSTERS}/prod/snapshots`,
      list([node('a'), node('b'), pod('default/x', 'b')]),
    );
    expect(after.json).toMatchObject({ revision: 2, previous: 1 });
    expect((await get('prod/diff')).json).toMatchObject({
      basis: { revision: 2 },
      summary: { nodes: { added: 1 }, pods: { moved: 1 } },
    });
  });

  it('between requests, reads get 503 until it is back, and new heads are noticed again', async () => {
    await kill();
    const statuses = new Set<number>();
    await until(async () => {
      const { status } = await get('prod/snapshots/head');
      statuses.add(status);
      return statuses.has(503) && status === 200;
    });
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 503]));
    expect(statuses.size).toBe(2);
    for (let i = 3; i <= 5; i++) {
      expect(
        (await send(service, `${CLUSTERS}/prod/snapshots?allowRemovals=true`, list([node(`n${i}`)]))).at('revision'),
      ).toBe(i);
      expect((await get('prod/snapshots/head')).at('basis.revision')).toBe(i);
    }
  });

  it('during webhook calls, the response is 503, and every decision is recorded', async () => {
    const snapshot = list([node('a'), { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ml' } }]);
    expect((await send(service, `${CLUSTERS}/hooked/snapshots?createCluster=true`, snapshot)).status).toBe(201);
    const pool = {
      nodes: { matchLabels: { type: 'big' } },
      taints: ['dedicated=ml:NoSchedule'],
      labels: { dedicated: 'ml' },
      users: { namespaces: ['ml'] },
    };
    expect((await service.request('PUT', `${CLUSTERS}/hooked/pools/ml`, pool)).status).toBe(201);
    let calls = 0;
    const call = (): Promise<Answer> =>
      service.request('POST', `${CLUSTERS}/hooked/webhooks/mutate-pods?timeout=5s`, {
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        request: {
          uid: `u${++calls}`,
          resource: { group: '', version: 'v1', resource: 'pods' },
          operation: 'CREATE',
          namespace: 'ml',
          object: pod('ml/trainer', ''),
        },
      });
    expect((await call()).status).toBe(200);
    await kill();
    const answered: string[] = [];
    const failures = new Set<string>();
    await until(async () => {
      const answer = await call();
      if (answer.status === 200) answered.push(answer.at('response.uid') as string);
      else failures.add(`${answer.status} ${String(answer.at('code'))}`);
      return failures.size > 0 && answer.status === 200;
    });
    expect([...failures]).toEqual(['503 database-unavailable']);
    const records = await get('hooked/admission-records?limit=500');
    const recorded = (records.at('items') as { uid: string }[]).map(({ uid }) => uid);
    expect(recorded).toEqual(expect.arrayContaining(['u1', ...answered]));
    expect((await get('hooked/pools/ml')).status).toBe(200);
  });

  it('while a cluster is followed, the stream stays open and continues', async () => {
    const followers = new Followers(service);
    await followers.take('followed', [node('a')]);
    const reader = await followers.sse('followed', '?types=headChanged,taintChangeRecorded');
    const socket = await followers.subscription({ cluster: 'followed', types: ['headChanged'], after: '1' });
    await until(async () => (await openStreams(service)) === 2);
    await kill();
    const statuses = new Set<number>();
    await until(async () => {
      statuses.add((await get('followed/snapshots/head')).status);
      return statuses.has(503) && statuses.has(200);
    });
    expect(await reader.block()).toMatchObject({ comment: 'still here' });
    await followers.take('followed', [node('a'), node('b')]);
    const event = await reader.event();
    expect(event).toMatchObject({ headChanged: { revision: 2 } });
    expect(await socket.events(1)).toEqual([event]);
    followers.cut();
  });
});

/** The tests' server does not sync commits, so flush what it has acknowledged before it is killed. */
async function kill(): Promise<void> {
  await elsewhere('checkpoint');
  process.kill(service.postgres.server.pid, 'SIGKILL');
}

/** Enough rows to be staged, then a pause until `resume`, then the rest. */
async function* halfThenRest(resume: Promise<void>): AsyncGenerator<Uint8Array> {
  const row = (i: number) =>
    Buffer.from(`${JSON.stringify(pod(`default/p${i}`, 'a', { schedulerName: 'x'.repeat(1500) }))}\n`);
  for (let i = 0; i < 6000; i++) yield row(i);
  await resume;
  for (let i = 6000; i < 6100; i++) yield row(i);
}

async function elsewhere<Row extends object>(sql: string): Promise<Row[]> {
  const client = new pg.Client(service.databaseUrl);
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** How many transactions are receiving rows. */
async function staging(): Promise<number> {
  const rows = await elsewhere<{ count: number }>(
    "select count(*)::integer as count from pg_stat_activity where state like 'idle in transaction%' and query ilike 'copy%'",
  );
  return rows[0]!.count;
}

async function versions(): Promise<number> {
  return (await elsewhere<{ count: number }>('select count(*)::integer as count from object_versions'))[0]!.count;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await holds())) if (Date.now() > end) throw new Error('it never came to hold');
}
