import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.js';
import { ClusterStore } from '../../storage/cluster-store.js';
import { NotificationOutbox, OUTBOX_LEASE_MS } from '../../storage/notification-outbox.js';
import { NotificationWatch } from './notification-watch.js';

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());

describe('the watch for notifications', () => {
  it('tells of a cluster with a new lease if the first one ended while the process was held up', async () => {
    const database = await postgres.createDatabase();
    const outbox = new NotificationOutbox(database);
    const { cluster } = await new ClusterStore(database).put('c');
    await database.query(
      `insert into notification_rules (cluster_id, name, details, receiver, created_at, created_by, changed_at, changed_by)
       values (null, 'r', '{}', 'x', now(), 'ada', now(), 'ada')`,
    );
    const clock = new ManualClock();
    const told: boolean[] = [];
    let tellsAgain!: () => void;
    const again = new Promise<void>((resolve) => (tellsAgain = resolve));
    const collector = {
      collect: async (clusterId: number, holder: string, now: Date): Promise<number | undefined> => {
        if (told.length === 0) clock.pass((2 * OUTBOX_LEASE_MS) / 1000);
        const { progress: from } = (await outbox.scope(clusterId, now))!;
        const places = { from, to: { ...from, dueUntil: now }, now: clock.now() };
        told.push(await outbox.advance(clusterId, holder, places, { deliveries: [] }));
        if (told.length === 2) tellsAgain();
        return told.at(-1) ? Infinity : undefined;
      },
      forget: () => undefined,
      unmoved: () => Promise.resolve(new Map<number, number>()),
    };
    const receivers = {
      open: () => Promise.reject(new Error('nothing is sent')),
      send: () => Promise.reject(new Error('nothing is sent')),
    };
    const failed: unknown[] = [];
    const watch = new NotificationWatch(outbox, collector, receivers, {
      clock,
      random: () => 0,
      reports: { attempted: () => undefined, givenUp: () => undefined, failed: (error) => failed.push(error) },
    });
    watch.hear({ type: 'trail', clusterId: cluster.id });
    await again;
    await watch.stop();
    expect(told).toEqual([false, true]);
    expect(failed).toEqual([]);
  });
});
