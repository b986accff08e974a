import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { nothingFails } from '../../../test/support/nothing-fails.js';
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.js';
import { ClusterStore } from '../cluster-store.js';
import { Database } from '../database.js';
import { SettingsStore } from '../settings-store.js';
import { SnapshotWriter } from '../snapshot-writer.js';
import { snapshotOf } from '../../../test/support/snapshots.js';
import { DecisionRetention, type RemovedDecisions } from './decision-retention.js';
import { DecisionStore, type DecisionFilter } from './decision-store.js';
import type { Decision } from './decision.js';

const DAY = 86_400;

let postgres: TestPostgres;
let database: Database;
let store: DecisionStore;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

async function fresh(): Promise<void> {
  database = await postgres.createDatabase();
  store = new DecisionStore(database);
}

const onDay = (day: number): Date => new Date(Date.UTC(2026, 5, day));

const WEB = { kind: 'Deployment', namespace: 'shop', name: 'web' };

function decision(more: Partial<Decision> = {}): Decision {
  return {
    id: randomUUID(),
    clusterId: 1,
    clusterName: 'a',
    revision: 7,
    rulesVersion: 'v1.36.2',
    askedAt: onDay(1),
    caller: { name: 'ci', kind: 'token', issuer: null },
    type: 'gate',
    verdict: 'no',
    summary: 'Deployment shop/web does not fit.',
    workloads: [WEB],
    reasons: [{ code: 'Insufficient', verdict: 'no', message: 'Insufficient cpu', object: WEB, count: 2 }],
    taintValues: [{ key: 'gpu', value: 'a100' }],
    questionHash: 'q'.repeat(64),
    question: '{"a":1}',
    withheldValues: 0,
    answerHash: 'b'.repeat(64),
    answer: '{"b":2}',
    ...more,
  };
}

async function add(...decisions: readonly Partial<Decision>[]): Promise<string[]> {
  const ids: string[] = [];
  for (const more of decisions) {
    const made = decision(more);
    await store.add(made);
    ids.push(made.id);
  }
  return ids;
}

const idsOf = async (names: readonly string[], filter: DecisionFilter = {}, limit = 10): Promise<string[]> =>
  (await store.page(names, filter, { limit })).map(({ id }) => id);

describe('decisions', () => {
  beforeAll(fresh);

  it('are read as they were stored', async () => {
    const made = decision({
      question: null,
      withheldValues: 3,
      caller: { name: 'eva', kind: 'oidc', issuer: 'https://i' },
    });
    await store.add(made);
    expect(await store.get(made.id)).toEqual({ ...made, sequence: expect.any(Number) });
    expect(await store.get(randomUUID())).toBeUndefined();
  });

  it('may contain NUL and lone surrogates, which are left out of what is searched', async () => {
    const made = decision({
      summary: 'a\0b\ud800',
      workloads: [{ ...WEB, name: 'w\0\ud800' }],
      reasons: [{ code: 'X', verdict: 'unknown', message: '\0\ud800', object: null, count: null }],
    });
    await store.add(made);
    const found = await store.get(made.id);
    expect(found).toMatchObject({
      summary: 'ab\ufffd',
      workloads: [{ ...WEB, name: 'w\ufffd' }],
      reasons: made.reasons,
    });
    expect(await idsOf(['a'], { workload: { name: 'w\0\ud800' } })).toEqual([made.id]);
  });

  it('are never changed, only removed', async () => {
    await expect(database.query(`update decisions set verdict = 'yes'`)).rejects.toThrow('stays as it is');
    await expect(database.query('truncate decisions')).rejects.toThrow('stays as it is');
  });
});

describe('lists of decisions', () => {
  let ids: string[];
  beforeAll(async () => {
    await fresh();
    ids = await add(
      {},
      {
        verdict: 'yes',
        askedAt: onDay(2),
        workloads: [
          { ...WEB, name: 'db' },
          { ...WEB, kind: 'StatefulSet' },
        ],
      },
      { clusterName: 'b', clusterId: 2, askedAt: onDay(3), caller: { name: 'eva', kind: 'oidc', issuer: 'https://i' } },
      { clusterName: 'c', clusterId: 3, type: 'placement', workloads: [] },
    );
  });

  it('are of some clusters, newest first, page by page', async () => {
    expect(await idsOf(['a', 'c'])).toEqual([ids[3], ids[1], ids[0]]);
    expect(await idsOf([])).toEqual([]);
    const [first] = await store.page(['a', 'b', 'c'], {}, { limit: 1 });
    expect(first!.id).toBe(ids[3]);
    const next = await store.page(['a', 'b', 'c'], {}, { limit: 2, before: first!.sequence });
    expect(next.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
  });

  it.each([
    ['a verdict', { verdict: 'yes' }, [1]],
    ['a type', { type: 'placement' }, [3]],
    ['a caller', { caller: 'eva' }, [2]],
    ['a whole workload', { workload: WEB }, [2, 0]],
    ['a namespace', { workload: { namespace: 'shop' } }, [2, 1, 0]],
    ['a kind and a name of the same workload', { workload: { kind: 'StatefulSet', name: 'db' } }, []],
    ['a time from', { since: onDay(2) }, [2, 1]],
    ['a time until', { until: onDay(2) }, [3, 0]],
  ] satisfies [string, DecisionFilter, number[]][])('can be filtered by %s', async (_, filter, expected) => {
    expect(await idsOf(['a', 'b', 'c'], filter)).toEqual(expected.map((index) => ids[index]));
  });

  it('know the names of their clusters', async () => {
    expect(await store.clusterNames()).toEqual(['a', 'b', 'c']);
    expect([await store.isKnown('b'), await store.isKnown('d')]).toEqual([true, false]);
  });

  it('are exported whole, oldest first', async () => {
    await add(...Array.from({ length: 45 }, () => ({ clusterName: 'long', clusterId: 9 })));
    const exported: string[] = [];
    for await (const batch of store.batches('long', { verdict: 'no' })) {
      exported.push(...batch.map(({ id }) => id));
      expect(batch[0]).toMatchObject({ question: '{"a":1}', answer: '{"b":2}' });
    }
    expect(exported).toEqual((await idsOf(['long'], {}, 100)).reverse());
    expect(exported).toHaveLength(45);
  });
});

describe('retention of decisions', () => {
  const keep = (days: number | null) => () => (days === null ? null : days * DAY);
  const prune = (now: Date, days: number | null): Promise<readonly RemovedDecisions[]> =>
    new DecisionRetention(database).prune(now, nothingFails, keep(days));

  it('removes what is older than the limit, and nothing without one', async () => {
    await fresh();
    const ids = await add(...[1, 2, 3, 4].map((day) => ({ askedAt: onDay(day) })), { clusterId: 2, askedAt: onDay(1) });
    expect(await prune(onDay(30), null)).toEqual([]);
    expect(await prune(onDay(6), 4)).toEqual([
      { clusterId: 1, clusterName: 'a', decisions: 1 },
      { clusterId: 2, clusterName: 'a', decisions: 1 },
    ]);
    expect(await idsOf(['a'])).toEqual([ids[3], ids[2], ids[1]]);
    // A clock that is behind removes nothing more.
    expect(await prune(onDay(5), 4)).toEqual([]);
    expect(await prune(onDay(9), 5)).toEqual([{ clusterId: 1, clusterName: 'a', decisions: 2 }]);
  });

  it('removes any number', async () => {
    await fresh();
    await database.query(
      `insert into decisions (cluster_id, id, cluster_name, revision, rules_version, asked_at, caller, caller_kind, type, verdict,
                              summary, workloads, reasons, taint_values, question_hash, withheld_values, answer_hash)
       select 1, gen_random_uuid(), 'a', 1, 'v', $1::timestamptz + n * interval '1 ms', 'c', 'token', 'gate', 'yes', '', '[]', '[]', '[]',
              '', 0, ''
       from generate_series(1, 2500) n`,
      [onDay(1)],
    );
    expect(await prune(onDay(9), 1)).toEqual([{ clusterId: 1, clusterName: 'a', decisions: 2500 }]);
  });

  it('passes on the setting of a cluster as of its head', async () => {
    await fresh();
    const writer = new SnapshotWriter(database);
    await writer.commit(snapshotOf({ 'Node/a': '1' }, { cluster: { name: 'a', create: true } }));
    const settings = new SettingsStore(database);
    for (const maxAge of ['9d', '2d']) {
      const changes = [{ kind: 'DecisionRetention', name: 'default', content: { maxAge } }] as const;
      await settings.commit({ clusterId: 1, author: 'eva', now: onDay(1), changes });
    }
    await add({ askedAt: onDay(1) }, { clusterId: 2, clusterName: 'gone', askedAt: onDay(1) });
    const seen: unknown[] = [];
    await new DecisionRetention(database).prune(onDay(9), nothingFails, (setting) => {
      seen.push(setting === undefined ? undefined : (JSON.parse(setting) as { content: unknown }).content);
      return null;
    });
    expect(seen).toEqual([{ maxAge: '2d' }, undefined]);
  });

  it('leaves decisions when their cluster is deleted', async () => {
    await fresh();
    const clusters = new ClusterStore(database);
    await new SnapshotWriter(database).commit(snapshotOf({ 'Node/a': '1' }, { cluster: { name: 'a', create: true } }));
    const ids = await add({});
    await clusters.delete('a', { author: 'eva', at: onDay(2) });
    expect(await idsOf(['a'])).toEqual(ids);
  });
});
