import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import { emptyDatabase } from '../../test/support/empty-database.js';
import { aStatementWaits, startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { snapshotOf } from '../../test/support/snapshots.js';
import { ClusterStore } from './cluster-store.js';
import { Database } from './database.js';
import { Retention } from './retention.js';
import { SnapshotWriter } from './snapshot-writer.js';
import { StateImageStore, type StateImageHead } from './state-image-store.js';

let postgres: TestPostgres;
let database: Database;
let images: StateImageStore;
let clusterId: number;
beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await postgres.createDatabase();
  images = new StateImageStore(database);
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  await emptyDatabase(database);
  const writer = new SnapshotWriter(database);
  for (const content of ['1', '2', '3']) ({ clusterId } = await writer.commit(snapshotOf({ 'Node/a': content })));
});

const PARTS = 20;
const headOf = (revision: number, form = 1): StateImageHead => ({
  revision,
  form,
  loadedKinds: ['Node', 'Pod'],
  objects: 1,
  parts: PARTS,
});
const partsOf = (text: string): Buffer[] => Array.from({ length: PARTS }, (_, n) => Buffer.from(`${text} ${n}`));

/** The head and the parts that are stored. */
async function stored(form = 1): Promise<unknown> {
  const parts: string[] = [];
  let head: StateImageHead | undefined;
  const accept = (found: StateImageHead): boolean => (head = found) === found;
  for await (const batch of images.read(clusterId, form, accept)) parts.push(...batch.map(String));
  return head && { head, parts };
}
const whole = (text: string, head: StateImageHead): unknown => ({ head, parts: partsOf(text).map(String) });

/** Keeps an image while a transaction that has locked the cluster does something; both end. */
async function keepDuring(head: StateImageHead, work: (client: PoolClient) => Promise<unknown>): Promise<void> {
  let keeping: Promise<void> | undefined;
  await database.transaction(async (client) => {
    await client.query('select from clusters where id = $1 for update', [clusterId]);
    keeping = images.keep(clusterId, head, partsOf('late'));
    keeping.catch(() => undefined);
    await aStatementWaits(database);
    await work(client);
  });
  await keeping;
}

describe('the stored image of a state', () => {
  it('is replaced by that of a newer revision, and by no other', async () => {
    expect(await stored()).toBeUndefined();
    await images.keep(clusterId, headOf(2), partsOf('two'));
    await images.keep(clusterId, headOf(1), partsOf('one'));
    await images.keep(clusterId, headOf(2), partsOf('again'));
    expect(await stored()).toEqual(whole('two', headOf(2)));
    await images.keep(clusterId, headOf(3), partsOf('three'));
    expect(await stored()).toEqual(whole('three', headOf(3)));
  });

  it('stays beside that of the next form, whichever is kept last, and ends with the form after', async () => {
    await images.keep(clusterId, headOf(2), partsOf('old'));
    await images.keep(clusterId, headOf(1, 2), partsOf('new'));
    await images.keep(clusterId, headOf(3), partsOf('later'));
    const forms = [1, 2].map(async (form) => stored(form));
    expect(await Promise.all(forms)).toEqual([whole('later', headOf(3)), whole('new', headOf(1, 2))]);
    await images.remove(clusterId, 1);
    expect([await stored(), await stored(2)]).toEqual([undefined, whole('new', headOf(1, 2))]);
    await images.keep(clusterId, headOf(3), partsOf('again'));
    await images.keep(clusterId, headOf(3, 3), partsOf('newest'));
    expect([await stored(), await stored(2)]).toEqual([undefined, whole('new', headOf(1, 2))]);
  });

  it('is that of the newest revision, and whole, where several processes keep one at once', async () => {
    for (let round = 0; round < 5; round++) {
      await images.remove(clusterId, 1);
      await Promise.all([2, 3, 1].map((revision) => images.keep(clusterId, headOf(revision), partsOf(`r${revision}`))));
      expect(await stored()).toEqual(whole('r3', headOf(3)));
    }
  });

  it('is not kept once its revision is removed, not even by a retention that is underway', async () => {
    await new Retention(database).prune(clusterId, { count: 2 });
    await images.keep(clusterId, headOf(1), partsOf('one'));
    expect(await stored()).toBeUndefined();
    await keepDuring(headOf(2), (client) =>
      client.query('delete from revisions where cluster_id = $1 and number = 2', [clusterId]),
    );
    expect(await stored()).toBeUndefined();
    await images.keep(clusterId, headOf(3), partsOf('three'));
    expect(await stored()).toEqual(whole('three', headOf(3)));
  });

  it('can be replaced while retention removes it: neither fails', async () => {
    await images.keep(clusterId, headOf(1), partsOf('one'));
    await keepDuring(headOf(3), (client) =>
      client.query('delete from state_images where cluster_id = $1 and revision < 2', [clusterId]),
    );
    expect(await stored()).toEqual(whole('late', headOf(3)));
  });

  it('is kept without holding up commits to its cluster', async () => {
    await images.keep(clusterId, headOf(1), partsOf('one'));
    let keeping: Promise<void> | undefined;
    await database.transaction(async (client) => {
      await client.query('select from state_images where cluster_id = $1 for update', [clusterId]);
      keeping = images.keep(clusterId, headOf(3), partsOf('three'));
      keeping.catch(() => undefined);
      await aStatementWaits(database);
      const { revision } = await new SnapshotWriter(database).commit(snapshotOf({ 'Node/a': '4' }));
      expect(revision).toBe(4);
    });
    await keeping;
    expect(await stored()).toEqual(whole('three', headOf(3)));
  });

  it('is not kept of a cluster that is deleted meanwhile', async () => {
    await keepDuring(headOf(3), (client) => client.query('delete from clusters where id = $1', [clusterId]));
    expect(await stored()).toBeUndefined();
    await new ClusterStore(database).put('test');
    expect(await stored()).toBeUndefined();
  });
});

describe('the cluster with the largest image', () => {
  const largest = (): Promise<string | undefined> => images.largestCluster(1);
  const commit = async (cluster: string): Promise<number> => {
    const snapshot = { ...snapshotOf({ 'Node/a': '1' }), cluster: { name: cluster, create: true } };
    return (await new SnapshotWriter(database).commit(snapshot)).clusterId;
  };

  it('is one without an image only if there are no images of the form', async () => {
    const larger = await commit('z');
    await commit('a');
    await new ClusterStore(database).put('0-without-a-state');
    expect(await largest()).toBe('a');
    await images.keep(larger, headOf(1, 2), partsOf('another form'));
    expect(await largest()).toBe('a');
    await images.keep(larger, headOf(1), partsOf('one'));
    expect(await largest()).toBe('z');
    await images.keep(clusterId, headOf(3), [...partsOf('one'), ...partsOf('more')]);
    expect(await largest()).toBe('test');
  });

  it('is none without clusters', async () => {
    await emptyDatabase(database);
    expect(await largest()).toBeUndefined();
  });
});
