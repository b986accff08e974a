import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { listenToHeads } from '../../test/support/head-events.js';
import { nothingFails } from '../../test/support/nothing-fails.js';
import { partitionByCluster } from '../../test/support/partition-by-cluster.js';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { inOneBatch, objectRow, snapshotOf } from '../../test/support/snapshots.js';
import { ClusterPlaces, type Places } from './cluster-places.js';
import { Database } from './database.js';
import { DecisionRetention } from './decisions/decision-retention.js';
import { DigestTurns } from './digest-turns.js';
import { TABLES_OF_CLUSTERS } from './distribution.js';
import { FollowLeases } from './follow-leases.js';
import { NotificationOutbox } from './notification-outbox.js';
import { connect } from './open-database.js';
import { Retention } from './retention.js';
import { RevisionStore } from './revision-store.js';
import { SnapshotWriter } from './snapshot-writer.js';
import { StorageError } from './storage-error.js';
import { ApplicationStore } from './taint-trail/application-store.js';
import { AskedChangeStore } from './taint-trail/asked-change-store.js';
import { TaintChangeStore } from './taint-trail/taint-change-store.js';
import { TurnRetention } from './turn-retention.js';

/** Clusters 1 to so many, which are in several partitions. With more, Postgres would check foreign keys by a plan that needs all of them. */
const CLUSTERS = 5;
const NOW = new Date('2026-06-02T00:00:00Z');
const LATER = new Date('2026-06-03T00:00:00Z');

let postgres: TestPostgres;
/** Its statements fail if they need a partition that somebody else has locked, as those that need a lost node do. */
let database: Database;
let places: Places;
/** Holds the locks. */
let other: pg.Client;
/** In the partition that is locked, and those in the others. */
let lost: readonly number[];
let there: readonly number[];
let failures: unknown[];
const failed = (error: unknown): void => void failures.push(error);

const sorted = (ids: Iterable<number>): readonly number[] => [...ids].sort((a, b) => a - b);

beforeAll(async () => {
  postgres = await startTestPostgres({ plain: true });
  const url = await postgres.createEmptyDatabase();
  await partitionByCluster(url);
  const waiting = new URL(url);
  waiting.searchParams.set('options', '-c lock_timeout=20ms');
  const opened = await connect(waiting.href, { poolSize: 8 }, () => undefined);
  database = new Database(opened.dataSource, waiting.href, undefined, (among) =>
    Promise.resolve(
      new Map(
        [...places]
          .map(([place, ids]) => [place, ids.filter((id) => among?.includes(id) ?? true)] as const)
          .filter(([, ids]) => ids.length > 0),
      ),
    ),
  );
  other = new pg.Client(url);
  await other.connect();
  const writer = new SnapshotWriter(database);
  for (let number = 1; number <= CLUSTERS; number++) {
    await writer.commit(snapshotOf({}, { cluster: { name: `c${number}`, create: true } }));
    await writer.commit({
      ...snapshotOf({}, { rows: inOneBatch([objectRow('Node//n', 'one')]) }),
      cluster: { name: `c${number}` },
    });
  }
  const rows = await database.query<{ id: number; place: string }>(
    'select id::float8 as id, tableoid::regclass::text as place from clusters order by id',
  );
  places = new Map(
    [...new Set(rows.map(({ place }) => place))].map((place) => [
      place,
      rows.filter((row) => row.place === place).map(({ id }) => id),
    ]),
  );
  await fill();
});
afterAll(async () => {
  await other.end();
  await database.dataSource.destroy();
  await postgres.stop();
});

/** Stores something to do for each poll and cluster. */
async function fill(): Promise<void> {
  await database.query(
    `insert into cluster_connections (cluster_id, details, secret, created_at, created_by)
     select id, '{"follow":true}', null, now(), 'ada' from clusters`,
  );
  await database.query(
    `insert into taint_changes (cluster_id, id, revision, sequence, made_at, action, author, expires_at, expiry, details, outcomes)
     select id, gen_random_uuid(), 2, 1, $1, 'apply', 'ada', $1, 'pending', '{}', '[]' from clusters`,
    [NOW],
  );
  await database.query(
    `insert into taint_change_applications (cluster_id, change_id, state, asked_at, asked_by, options, next_at)
     select cluster_id, id, 'running', $1, '{}', '{}', $1 from taint_changes`,
    [NOW],
  );
  await database.query(
    `insert into asked_changes (cluster_id, id, sequence, asked_at, approve_by, author, request_hash, asked, state, round, revision, preview, outcomes)
     select id, gen_random_uuid(), 1, $1, $1, 'ada', null, '{}', 'waiting', 0, 2, '{}', '[]' from clusters`,
    [NOW],
  );
  const [rule] = await database.query<{ id: string }>(
    `insert into notification_rules (cluster_id, name, details, receiver, created_at, created_by, changed_at, changed_by)
     values (null, 'r', '{}', 'x', now(), 'ada', now(), 'ada') returning id`,
  );
  await database.query(
    `insert into notification_deliveries
       (rule_id, cluster_id, position, kind, event, state, created_at, waiting_since, attempts, finished_at)
     select $1, id, 1, 'k', '{}', 'delivered', '2020-01-01', '2020-01-01', 1, '2020-01-01' from clusters`,
    [rule!.id],
  );
}

/** Locks the partition of the first cluster, until the next test. */
beforeEach(async () => {
  failures = [];
  await other.query('rollback');
  const [place, ids] = [...places].find(([, all]) => all.includes(1))!;
  const part = /_\d+$/.exec(place)![0];
  lost = ids;
  there = sorted([...places.values()].flat().filter((id) => !ids.includes(id)));
  expect(there.length).toBeGreaterThan(0);
  await other.query('begin');
  for (const table of Object.keys(TABLES_OF_CLUSTERS)) await other.query(`lock table ${table}${part}`);
});

it('are asked alone: where one is lost, each poll finds what is due in the others, and says what failed', async () => {
  const changes = new TaintChangeStore(database);
  const asked = new AskedChangeStore(database);
  const applications = new ApplicationStore(database);
  const due: Readonly<Record<string, () => Promise<readonly { readonly clusterId: number }[]>>> = {
    expiry: () => changes.due(LATER, 50, failed),
    approvals: () => asked.overdue(LATER, 50, failed),
    applications: () => applications.due(LATER, 50, failed),
    notifications: async () =>
      (await new NotificationOutbox(database).waitingClusters('a', LATER, failed)).map((clusterId) => ({ clusterId })),
    'followed clusters': async () =>
      (await new FollowLeases(database).share('a', failed)).clusters.map(({ id }) => ({ clusterId: id })),
    digests: async () =>
      (
        await new DigestTurns(database).due(
          { version: 'v', form: 1, fewestObjects: 1 },
          new Date(Date.now() + 3_600_000),
          50,
          failed,
        )
      ).map(({ id }) => ({ clusterId: id })),
    heads: () => new RevisionStore(database).heads(),
  };
  for (const [poll, ask] of Object.entries(due)) {
    failures = [];
    const found = await ask();
    expect([poll, sorted(found.map(({ clusterId }) => clusterId))]).toEqual([poll, there]);
    if (poll !== 'heads') expect([poll, failures]).toEqual([poll, [expect.any(StorageError)]]);
  }
  for (const next of [changes, asked].map((store) =>
    'nextExpiry' in store ? store.nextExpiry(failed) : store.nextOverdue(failed),
  )) {
    expect(await next).toEqual(NOW);
  }
  expect(await applications.nextAt(failed)).toEqual(NOW);
});

it('lose what is too old where they can be asked', async () => {
  const removed = await new NotificationOutbox(database).prune(NOW, failed);
  expect(sorted(removed.map(({ clusterId }) => clusterId))).toEqual(there);
  expect(failures).toHaveLength(1);
  const pruned = await new Retention(database).pruneAll({ count: 1 }, failed);
  expect(sorted(pruned.map(({ clusterId }) => clusterId))).toEqual(there);
  expect(failures).toHaveLength(1 + lost.length);
  expect(await new TurnRetention(database).prune(NOW, failed, () => 1)).toEqual([]);
  expect(failures).toHaveLength(2 + lost.length);
});

it('lose no decisions while it is not known how long their clusters keep them', async () => {
  await database.query(
    `insert into decisions (cluster_id, id, cluster_name, revision, rules_version, asked_at, caller, caller_kind, type,
                            verdict, summary, workloads, reasons, taint_values, question_hash, withheld_values, answer_hash)
     select id, gen_random_uuid(), name, 1, 'v', '2020-01-01', 'c', 'token', 'gate', 'yes', '', '[]', '[]', '[]', '', 0, ''
     from cluster_names`,
  );
  const retention = new DecisionRetention(database);
  const removed = await retention.prune(NOW, failed, () => 1);
  expect(sorted(removed.map(({ clusterId }) => clusterId))).toEqual(there);
  expect(failures).toHaveLength(1);
  await other.query('rollback');
  const rest = await retention.prune(NOW, nothingFails, () => 1);
  expect(sorted(rest.map(({ clusterId }) => clusterId))).toEqual(lost);
});

it('let a replica listen while one is lost; its heads are read when it is back, and nothing of it counts as deleted', async () => {
  const { listener, next, events: unread } = await listenToHeads(database);
  const events = unread.splice(0);
  expect(sorted(events.map(({ clusterId }) => clusterId))).toEqual(there);
  await other.query('rollback');
  while (events.length < CLUSTERS) events.push(await next());
  expect(sorted(events.map(({ clusterId }) => clusterId))).toEqual(sorted([...there, ...lost]));
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['head']));
  await listener.close();
});

it('that hang are left out until they answer', async () => {
  const asked: string[] = [];
  let answer: (rows: readonly string[]) => void = () => undefined;
  const ask = (ids: readonly number[]): Promise<readonly string[]> => {
    const isLost = ids.includes(1);
    asked.push(isLost ? 'lost' : 'there');
    return isLost ? new Promise((resolve) => (answer = resolve)) : Promise.resolve(['there']);
  };
  const sometimes = new ClusterPlaces(
    () => Promise.reject(new Error('not asked')),
    () => Promise.resolve(places),
    10,
  );
  const others = Array<string>(places.size - 1).fill('there');
  expect(await sometimes.ofAll(ask, failed)).toEqual(others);
  expect([sorted([...asked].map((one) => (one === 'lost' ? 0 : 1))), failures.length]).toEqual([
    [0, ...others.map(() => 1)],
    1,
  ]);
  asked.length = 0;
  expect(await sometimes.ofAll(ask, failed)).toEqual(others);
  expect([asked, failures.length]).toEqual([others, 2]);
  answer([]);
  await Promise.resolve();
  asked.length = 0;
  const again = sometimes.ofAll(ask, failed);
  await Promise.resolve();
  expect(asked).toContain('lost');
  answer(['back']);
  expect(await again).toContain('back');
});

it('are read once for all who ask at the same time, and anew for who asks later', async () => {
  const asked: unknown[] = [];
  const read = new ClusterPlaces(<Row>(text: string, values: readonly unknown[] = []) => {
    const isOfClusters = text.includes('cluster_names');
    if (isOfClusters) asked.push(values[0]);
    const rows = isOfClusters ? [{ id: 1, hash: 0 }] : [{ known: false }];
    return Promise.resolve(rows as unknown as readonly Row[]);
  });
  const ask = (ids: readonly number[]): Promise<readonly number[]> => Promise.resolve(ids);
  const answers = await Promise.all([[1], [1], [2], undefined].map((among) => read.ofAll(ask, failed, among)));
  expect(answers).toEqual([[1], [1], [1], [1]]);
  expect(asked).toEqual([[1], [2], null]);
  await read.ofAll(ask, failed, [1]);
  expect(asked).toEqual([[1], [2], null, [1]]);
});
