import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { metric } from '../support/metric.js';
import { startTestService, type TestService } from '../support/service.js';
import { SMALL_CLUSTER, store } from '../support/small-cluster.js';
import { sql } from '../support/sql.js';

jest.setTimeout(240_000);

/** More than it needs. */
const LONG = '600000';

let first: TestService;
beforeAll(async () => {
  first = await startTestService();
});
afterAll(() => first.close());

const POD = { spec: { containers: [{ name: 'a' }], tolerations: [{ key: 'gpu', operator: 'Exists' }] } };

/** What another replica logs of it until it is ready. */
async function startedWith(
  settings: Record<string, string>,
  look: (replica: TestService) => Promise<void> = () => Promise.resolve(),
): Promise<readonly Record<string, unknown>[]> {
  const replica = await startTestService({ DATABASE_URL: first.databaseUrl, ...settings });
  try {
    await look(replica);
    const lines = replica.logLines().trim().split('\n');
    return lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => /warm/.test(String(msg)))
      .map(({ level, cluster, answers, msg }) => ({ level, cluster, answers, msg }));
  } finally {
    await replica.close();
  }
}

async function placed(service: TestService): Promise<unknown> {
  const { status, text } = await service.request('POST', '/api/v1/clusters/small/placements', { pod: POD });
  expect(status).toBe(200);
  return { ...(JSON.parse(text) as object), basis: undefined };
}

describe('a replica that starts', () => {
  it('has nothing to answer as long as there is no cluster', async () => {
    expect(await startedWith({ WARM_UP_MS: LONG })).toEqual([]);
  });

  it('places pods like the stored ones before it is ready, which nobody sees but by its state and its speed', async () => {
    await store(first, 'small', SMALL_CLUSTER);
    const answer = await placed(first);
    const lines = await startedWith({ WARM_UP_MS: LONG }, async (replica) => {
      expect(await metric(replica, 'states_loaded')).toBeGreaterThan(0);
      expect(await metric(replica, 'evaluation_duration_seconds_count')).toBe(0);
      expect(await placed(replica)).toEqual(answer);
      expect(await metric(replica, 'evaluation_duration_seconds_count')).toBe(1);
      expect(await metric(replica, 'state_load_duration_seconds_count')).toBe(1);
    });
    expect(lines).toEqual([{ level: 30, cluster: 'small', answers: 2000, msg: 'warmed up' }]);
    expect(await sql(first.databaseUrl, 'select from decisions')).toEqual([]);
  });

  it('does not with WARM_UP_MS=0', async () => {
    const lines = await startedWith({ WARM_UP_MS: '0' }, async (replica) => {
      expect(await metric(replica, 'states_loaded{')).toBe(0);
    });
    expect(lines).toEqual([]);
  });

  // Before its state is loaded, and between answers, of which it gives 2,000 in seconds.
  it.each(['1', '300'])('is ready after the time that it is given, %s ms', async (given) => {
    const [line, ...more] = await startedWith({ WARM_UP_MS: given }, async (replica) => {
      expect((await replica.request('GET', '/readyz')).status).toBe(200);
    });
    expect(more).toEqual([]);
    expect(line).toMatchObject({ level: 30, msg: 'warmed up' });
    expect(line!['answers']).toBeLessThan(2000);
  });

  it('is ready after that time while the database does not answer', async () => {
    const client = new pg.Client(first.databaseUrl);
    await client.connect();
    try {
      await client.query('begin');
      await client.query('lock table state_images in access exclusive mode');
      const lines = await startedWith({ WARM_UP_MS: '100' }, async (replica) => {
        expect((await replica.request('GET', '/readyz')).status).toBe(200);
        await client.query('rollback');
      });
      expect(lines).toEqual([{ level: 30, cluster: undefined, answers: 0, msg: 'warmed up' }]);
    } finally {
      await client.end();
    }
  });

  it('starts although the state cannot be loaded', async () => {
    await sql(first.databaseUrl, `update object_versions set content = '{' where kind = 'Node' and name = 'a'`);
    const lines = await startedWith({ WARM_UP_MS: LONG }, async (replica) => {
      expect((await replica.request('GET', '/readyz')).status).toBe(200);
    });
    expect(lines).toEqual([
      { level: 40, cluster: 'small', answers: 0, msg: 'warming up failed; the first answers take longer' },
    ]);
  });
});
