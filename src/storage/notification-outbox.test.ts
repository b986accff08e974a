import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nothingFails } from '../../test/support/nothing-fails.js';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { ClusterStore } from './cluster-store.js';
import { NotificationOutbox, OUTBOX_LEASE_MS } from './notification-outbox.js';

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe('the search for clusters that nobody tells of', () => {
  it('finds all of hundreds, without those that a replica has', async () => {
    const database = await postgres.createDatabase();
    const outbox = new NotificationOutbox(database);
    const clusters = new ClusterStore(database);
    const ids: number[] = [];
    for (let number = 1; number <= 230; number += 1) ids.push((await clusters.put(`c${number}`)).cluster.id);
    const now = new Date();
    expect(await outbox.waitingClusters('a', now, nothingFails)).toEqual([]);
    await database.query(
      `insert into notification_rules (cluster_id, name, details, receiver, created_at, created_by, changed_at, changed_by)
       values (null, 'r', '{}', 'x', now(), 'ada', now(), 'ada')`,
    );
    const sorted = (some: readonly number[]): readonly number[] => some.toSorted((a, b) => a - b);
    expect(sorted(await outbox.waitingClusters('a', now, nothingFails))).toEqual(ids);
    const held = ids.filter((_, index) => index % 3 === 0);
    for (const id of held) expect(await outbox.lease(id, 'a', now)).toBe(true);
    const free = ids.filter((id) => !held.includes(id));
    expect(sorted(await outbox.waitingClusters('a', now, nothingFails))).toEqual(free);
    expect(sorted(await outbox.waitingClusters('b', now, nothingFails))).toEqual(free);
    const later = new Date(now.getTime() + 2 * OUTBOX_LEASE_MS);
    expect(sorted(await outbox.waitingClusters('b', later, nothingFails))).toEqual(ids);
    // Who searches extends its leases.
    expect(sorted(await outbox.waitingClusters('a', later, nothingFails))).toEqual(free);
  });
});

describe('the first lease of a cluster', () => {
  const since = new Date('2026-05-04T10:00:00Z');
  const later = new Date('2026-05-04T10:05:00Z');

  /** A cluster with revision 3, and a rule, about it or about all clusters. */
  async function setUp(isAboutAll: boolean): Promise<{ readonly outbox: NotificationOutbox; readonly id: number }> {
    const database = await postgres.createDatabase();
    const { cluster } = await new ClusterStore(database).put('c');
    await database.query('update clusters set head_revision = 3 where id = $1', [cluster.id]);
    const [rule] = await database.query<{ id: string }>(
      `insert into notification_rules (cluster_id, name, details, receiver, created_at, created_by, changed_at, changed_by)
       values ($1, 'r', '{}', 'x', $2, 'ada', $2, 'ada') returning id`,
      [isAboutAll ? null : cluster.id, since],
    );
    if (!isAboutAll) {
      await database.query(
        `insert into notification_queues (rule_id, cluster_id, revision, sequence, turn, since, failures)
         values ($1, $2, 2, 0, 0, $3, 0)`,
        [rule!.id, cluster.id, since],
      );
    }
    return { outbox: new NotificationOutbox(database), id: cluster.id };
  }

  it('tells of evictions from where its rule was put, however late it comes', async () => {
    const { outbox, id } = await setUp(false);
    expect(await outbox.lease(id, 'a', later)).toBe(true);
    const { progress } = (await outbox.scope(id, later))!;
    expect([progress.dueRevision, progress.dueUntil]).toEqual([2, since]);
  });

  it('tells from now on if only rules about all clusters are about it, which is new', async () => {
    const { outbox, id } = await setUp(true);
    expect(await outbox.lease(id, 'a', later)).toBe(true);
    const { progress } = (await outbox.scope(id, later))!;
    expect([progress.dueRevision, progress.dueUntil]).toEqual([3, later]);
  });
});
