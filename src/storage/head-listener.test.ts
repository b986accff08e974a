import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { listenToHeads } from '../../test/support/head-events.js';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { snapshotOf } from '../../test/support/snapshots.js';
import { ClusterStore } from './cluster-store.js';
import { SnapshotWriter } from './snapshot-writer.js';

const BY = { author: 'alice', at: new Date('2026-06-01T00:00:00Z') };

let postgres: TestPostgres;
beforeAll(async () => (postgres = await startTestPostgres()));
afterAll(() => postgres.stop());

it('reports new heads and deleted clusters after their commit, from any writer, and nothing else', async () => {
  const database = await postgres.createDatabase();
  const writer = new SnapshotWriter(database);
  await writer.commit(snapshotOf({}));
  const { listener, next, events } = await listenToHeads(database);
  expect(await next()).toEqual({ type: 'head', clusterId: 1, revision: 1 });
  await expect(writer.commit({ ...snapshotOf({}), describe: () => { throw new Error('refused'); } })).rejects.toThrow(); // prettier-ignore
  await database.query(`notify kube_placement_heads, 'nonsense'`);
  await writer.commit(snapshotOf({ 'Node/a': '1' }));
  expect(await next()).toEqual({ type: 'head', clusterId: 1, revision: 2 });
  await new ClusterStore(database).delete('test', BY);
  expect(await next()).toEqual({ type: 'deleted', clusterId: 1 });
  expect(events).toEqual([]);
  await listener.close();
});

it('catches up on missed events after its connection was lost', async () => {
  const database = await postgres.createDatabase();
  const writer = new SnapshotWriter(database);
  const clusters = new ClusterStore(database);
  await writer.commit(snapshotOf({}, { cluster: { name: 'a', create: true } }));
  await writer.commit(snapshotOf({}, { cluster: { name: 'b', create: true } }));
  const { listener, next } = await listenToHeads(database);
  await next();
  await next();
  // Use one transaction, so that the events are certain to be missed: the listener's connection ends, a head moves, a
  // cluster is deleted.
  await database.query(`update clusters set head_revision = 7 where name = 'a'`);
  await database.query(`delete from clusters where name = 'b'`);
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'kube-placement heads'
     and datname = current_database()`,
  );
  expect(await next()).toEqual({ type: 'deleted', clusterId: 2 });
  expect(await next()).toEqual({ type: 'head', clusterId: 1, revision: 7 });
  await clusters.delete('a', BY);
  expect(await next()).toEqual({ type: 'deleted', clusterId: 1 });
  await listener.close();
});
