import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseSelector } from '../core/kubernetes/label-selector.js';
import { countStatements } from '../../test/support/counted-statements.js';
import { nothingFails } from '../../test/support/nothing-fails.js';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { snapshotOf } from '../../test/support/snapshots.js';
import { AgreementStore } from './agreement-store.js';
import { ClusterPlaces } from './cluster-places.js';
import { ClusterStore } from './cluster-store.js';
import { batchedOfClusters } from './batched.js';
import type { Database } from './database.js';
import { ExpectationStore } from './expectation-store.js';
import { NotificationOutbox } from './notification-outbox.js';
import { NotificationRuleStore } from './notification-rule-store.js';
import { Retention } from './retention.js';
import { SnapshotWriter } from './snapshot-writer.js';

const CLUSTERS = 40;
const day = (number: number): Date => new Date(Date.UTC(2026, 5, number));
const RULE = {
  name: 'r',
  details: '{}',
  receiver: 'sealed',
  changedAt: day(1),
  changedBy: 'alice',
  permission: null,
};

let postgres: TestPostgres;
let database: Database;
let ids: readonly number[];
beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await postgres.createDatabase();
  const writer = new SnapshotWriter(database);
  for (let number = 1; number <= CLUSTERS; number++) {
    const cluster = { name: `c${number}`, create: true };
    await writer.commit(snapshotOf({ 'Node/a': '1' }, { cluster, receivedAt: day(1) }));
  }
  // Of these, two have more than one revision.
  for (const name of ['c3', 'c5']) {
    await writer.commit(snapshotOf({ 'Node/a': '2' }, { cluster: { name }, receivedAt: day(3) }));
  }
  ids = (await new ClusterStore(database).list()).map(({ id }) => id);
});
afterAll(() => postgres.stop());

/** The answers for all clusters, asked at the same time, and with how many statements. */
async function ofAll<Answer>(ask: (clusterId: number) => Promise<Answer>): Promise<[readonly Answer[], number]> {
  let answers: readonly Answer[] = [];
  const statements = await countStatements(async () => {
    answers = await Promise.all(ids.map(ask));
  });
  return [answers, statements];
}

/** Those that find out where clusters are, and the one that is asked. */
const FEW = 3;

describe('what is asked of all clusters when the service starts takes a few statements', () => {
  it('for how far predictions were compared', async () => {
    const store = new AgreementStore(database);
    await store.leasesOf('a', { now: () => day(1) }).lease(ids[0]!);
    await store.advance(ids[0]!, 0, 1, [], []);
    const [answers, statements] = await ofAll((id) => store.standing(id));
    expect(answers.filter((answer) => answer?.head === 1)).toHaveLength(CLUSTERS - 2);
    expect(answers.map((answer) => answer?.compared)).toEqual([1, ...Array<number>(CLUSTERS - 1).fill(0)]);
    expect(statements).toBeLessThanOrEqual(FEW);
  });

  it('for the leases of background work', async () => {
    const { lease } = new AgreementStore(database).leasesOf('b', { now: () => day(2) });
    const [answers, statements] = await ofAll(lease);
    expect(answers).toEqual(Array(CLUSTERS).fill(undefined));
    expect(statements).toBeLessThanOrEqual(FEW);
  });

  it('for who has expectations', async () => {
    const store = new ExpectationStore(database);
    await database.query(
      `insert into expectation_progress (cluster_id, revision, turns, verdicts) values ($1, 1, 0, '{"a":"holds"}')`,
      [ids[7]],
    );
    const [answers, statements] = await ofAll((id) => store.isWatched(id));
    expect(answers.indexOf(true)).toBe(7);
    expect(answers.lastIndexOf(true)).toBe(7);
    expect(statements).toBeLessThanOrEqual(FEW);
  });

  it('for whom a rule of notifications is about', async () => {
    const outbox = new NotificationOutbox(database);
    const rules = new NotificationRuleStore(database);
    await rules.put({ ...RULE, clusterId: ids[4]! });
    const [some, statements] = await ofAll((id) => outbox.isToldOf(id));
    expect([some.indexOf(true), some.lastIndexOf(true)]).toEqual([4, 4]);
    expect(statements).toBeLessThanOrEqual(FEW);
    await rules.put({ ...RULE, clusterId: null });
    expect(await outbox.isToldOf(ids[20]!)).toBe(true);
    await rules.delete(null, RULE.name);
    expect(await outbox.isToldOf(ids[20]!)).toBe(false);
  });
});

describe('the names of clusters', () => {
  it('are those that a selector matches, as it matches their labels', async () => {
    const clusters = new ClusterStore(database);
    const all = await clusters.list();
    for (const [index, { name }] of all.entries()) {
      await clusters.put(name, {
        n: String(index),
        ...(index % 2 === 0 && { even: 'yes' }),
        ...(index === 5 && { x: '' }),
      });
    }
    const labelled = await clusters.list();
    expect(await clusters.names()).toEqual(labelled.map(({ name }) => name));
    for (const text of [
      'n=7',
      'n==7',
      'n in (7)',
      'n in (7,8)',
      'n!=7',
      'n notin (7)',
      'even',
      '!even',
      'n>30',
      'n<3',
      'x=',
      'n=1,n=2',
      'even=yes,n in (1,2)',
      'y=1',
    ]) {
      const selector = parseSelector(text);
      const wanted = labelled.filter(({ labels }) => selector.matches(labels)).map(({ name }) => name);
      expect([text, await clusters.names(selector)]).toEqual([text, wanted]);
    }
  });

  it('are read of those clusters alone that have the labels that a selector demands', async () => {
    const read: number[] = [];
    const query = async (...given: Parameters<Database['query']>) => {
      const rows = await database.query(...given);
      read.push(rows.length);
      return rows;
    };
    const counting = new Proxy(database, {
      get: (target, member) => (member === 'query' ? query : (Reflect.get(target, member) as unknown)),
    });
    const clusters = new ClusterStore(counting);
    await clusters.put('c1', { group: 'a' });
    await clusters.put('c2', { group: 'a', other: 'b' });
    read.length = 0;
    expect(await clusters.names(parseSelector('group=a,!other'))).toEqual(['c1']);
    expect(read).toEqual([2]);
  });
});

it('a rule about all clusters is stored with as many statements as a rule about one', async () => {
  const rules = new NotificationRuleStore(database);
  const one = await countStatements(() => rules.put({ ...RULE, name: 'one', clusterId: ids[0]! }));
  const all = await countStatements(() => rules.put({ ...RULE, name: 'all', clusterId: null }));
  expect(all).toBeLessThanOrEqual(one + 2);
});

it('a round of retention asks those clusters alone that have something to remove', async () => {
  const retention = new Retention(database);
  const round = (limits: Parameters<Retention['pruneAll']>[0]): Promise<number> =>
    countStatements(() => retention.pruneAll(limits, nothingFails));
  expect(await round({ count: 2 })).toBeLessThanOrEqual(FEW);
  expect(await round({ receivedBefore: day(1) })).toBeLessThanOrEqual(FEW);
  const removed = await retention.pruneAll({ receivedBefore: day(2) }, nothingFails);
  expect(removed.map(({ clusterName }) => clusterName)).toEqual(['c3', 'c5']);
  expect(await round({ receivedBefore: day(2), count: 1 })).toBeLessThanOrEqual(FEW);
});

it('a lost place fails what is asked about its clusters alone', async () => {
  const [first = 0, ...others] = ids;
  const places = new ClusterPlaces(
    (text, values) => database.query(text, values),
    () =>
      Promise.resolve(
        new Map([
          ['lost', [first]],
          ['there', others],
        ]),
      ),
  );
  const read = batchedOfClusters(
    () => places,
    (asked) =>
      asked.includes(first) ? Promise.reject(new Error('lost')) : Promise.resolve(asked.map((id) => ({ id }))),
  );
  const answers = await Promise.allSettled(ids.map(read));
  expect(answers.map(({ status }) => status)).toEqual(['rejected', ...others.map(() => 'fulfilled')]);
});
