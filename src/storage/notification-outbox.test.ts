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
