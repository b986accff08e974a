import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emptyDatabase } from '../../test/support/empty-database.js';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { snapshotOf } from '../../test/support/snapshots.js';
import { ClusterStore } from './cluster-store.js';
import type { Database } from './database.js';
import { DeltaWriter, type DeltaToCommit } from './delta-writer.js';
import { connect } from './open-database.js';
import { SnapshotWriter } from './snapshot-writer.js';
import { TrailCatalogue } from './taint-trail/trail-catalogue.js';

const BY = { author: 'ann', at: new Date('2026-06-01T00:00:00Z') };

let postgres: TestPostgres;
/** Two replicas on one database. */
let one: Database;
let other: Database;
beforeAll(async () => {
  postgres = await startTestPostgres();
  one = await postgres.createDatabase();
  other = await connect(one.url, { poolSize: 8 }, () => undefined);
});
afterAll(async () => {
  await other.dataSource.destroy();
  await postgres.stop();
});
beforeEach(() => emptyDatabase(one));

const emptyDelta = (sequence: number): DeltaToCommit => ({
  cluster: 'test',
  stream: 'stream',
  sequence,
  capturedAt: null,
  receivedAt: new Date(),
  author: null,
  rows: [],
  deletions: [],
  positions: [],
});

describe('the directory of clusters', () => {
  it('follows a cluster that another replica removes and creates anew', async () => {
    const clusters = new ClusterStore(one);
    const elsewhere = new ClusterStore(other);
    const first = await new SnapshotWriter(one).commit(snapshotOf({ 'Node/a': '1' }));
    expect(await elsewhere.get('test')).toMatchObject({ id: first.clusterId });
    await new DeltaWriter(other).commit(emptyDelta(1));
    await clusters.delete('test', BY);
    expect(await elsewhere.get('test')).toBeUndefined();
    await expect(new DeltaWriter(other).commit(emptyDelta(2))).rejects.toMatchObject({ code: 'ClusterNotFound' });
    const second = await new SnapshotWriter(one).commit(snapshotOf({ 'Node/b': '1' }));
    expect(second).toMatchObject({ revision: 1, clusterCreated: true });
    expect(second.clusterId).not.toBe(first.clusterId);
    expect(await new DeltaWriter(other).commit(emptyDelta(1))).toMatchObject({ clusterId: second.clusterId });
    expect(await elsewhere.get('test')).toMatchObject({ id: second.clusterId });
    expect(await elsewhere.delete('test', BY)).toMatchObject({ cluster: { id: second.clusterId } });
    const trails = await new TrailCatalogue(one).named('test');
    expect(trails.map(({ clusterId, cluster }) => [clusterId, cluster])).toEqual([
      [second.clusterId, 'test'],
      [first.clusterId, 'test'],
    ]);
  });

  it('lets one of several replicas create a cluster of a name', async () => {
    const stores = [one, other, one, other].map((database) => new ClusterStore(database));
    const puts = await Promise.all(stores.map((store) => store.put('same')));
    expect(puts.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(puts.map(({ cluster }) => cluster.id)).size).toBe(1);
    const snapshots = await Promise.all(
      [one, other].map((database) => new SnapshotWriter(database).commit(snapshotOf({ 'Node/a': '1' }))),
    );
    expect(snapshots.map(({ revision }) => revision).sort()).toEqual([1, 2]);
    expect(snapshots.filter(({ clusterCreated }) => clusterCreated)).toHaveLength(1);
  });

  it('keeps the claim of a snapshot that failed for the next one, and shows no cluster', async () => {
    const writer = new SnapshotWriter(one);
    const failing = snapshotOf({ 'Node/a': '1' });
    const describe = (): never => {
      throw new Error('cut off');
    };
    await expect(writer.commit({ ...failing, describe })).rejects.toThrow('cut off');
    const clusters = new ClusterStore(one);
    expect([await clusters.get('test'), await clusters.list()]).toEqual([undefined, []]);
    expect(await writer.commit(snapshotOf({ 'Node/a': '1' }))).toMatchObject({ clusterId: 1, clusterCreated: true });
  });

  it('gives no id again if the name of a removed cluster was not given free', async () => {
    const clusters = new ClusterStore(one);
    await clusters.put('left');
    await clusters.delete('left', BY);
    await one.query(`update cluster_names set removed = false where name = 'left'`);
    expect(await clusters.get('left')).toBeUndefined();
    const again = await clusters.put('left');
    expect([again.created, again.cluster.id]).not.toEqual([true, 1]);
    expect(await one.query('select id::int as id, name, removed from cluster_names order by id')).toEqual([
      { id: 1, name: 'left', removed: true },
      { id: again.cluster.id, name: 'left', removed: false },
    ]);
  });
});
