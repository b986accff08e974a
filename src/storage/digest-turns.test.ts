import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emptyDatabase } from '../../test/support/empty-database.js';
import { nothingFails } from '../../test/support/nothing-fails.js';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { snapshotOf } from '../../test/support/snapshots.js';
import { ClusterStore } from './cluster-store.js';
import { Database } from './database.js';
import { DigestTurns } from './digest-turns.js';
import { FleetStore, type StoredFigures } from './fleet-store.js';
import { SnapshotWriter } from './snapshot-writer.js';
import { StateImageStore } from './state-image-store.js';

let postgres: TestPostgres;
let database: Database;
let turns: DigestTurns;
let fleet: FleetStore;
let clusterId: number;
beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await postgres.createDatabase();
  turns = new DigestTurns(database);
  fleet = new FleetStore(database);
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  await emptyDatabase(database);
  clusterId = await commit('1');
});

async function commit(content: string): Promise<number> {
  return (await new SnapshotWriter(database).commit(snapshotOf({ 'Node/a': content }))).clusterId;
}

/** Figures of a state with so many pods. */
const figuresOf = (total: number): StoredFigures => ({
  nodes: { total: 1, ready: 1, notReady: 0, unschedulable: 0, tainted: 0 },
  pods: { total, pending: 0, unscheduled: 0 },
  findings: { error: 0, warning: 0, info: 0 },
});
const keep = (revision: number, pods = 0, version = 'v'): Promise<void> =>
  fleet.keep(clusterId, revision, version, figuresOf(pods));

/** Whether the cluster is due so many minutes after its newest revision was received. */
async function isDue(minutes = 0, form = 1): Promise<boolean> {
  const [row] = await database.query<{ at: Date }>('select max(received_at) as at from revisions');
  const now = new Date(row!.at.getTime() + minutes * 60_000);
  return (await turns.due({ version: 'v', form, fewestObjects: 10 }, now, 5, nothingFails)).length > 0;
}

/** As if so much time had passed for those who have taken clusters. */
async function pass(minutes: number): Promise<void> {
  const [turn] = await database.query<{ until: Date }>(
    `select until - interval '${minutes} minutes' as until from digest_turns where cluster_id = $1`,
    [clusterId],
  );
  await database.query('update digest_turns set until = $2 where cluster_id = $1', [clusterId, turn!.until]);
}

describe('a cluster', () => {
  it('is due as long as this version of the service has kept no figures of it', async () => {
    expect(await isDue()).toBe(true);
    await keep(1, 0, 'former');
    expect(await isDue()).toBe(true);
    await keep(1);
    expect(await isDue(60)).toBe(false);
  });

  it('is due when a newer head has stood for a minute', async () => {
    await keep(1);
    await commit('2');
    expect([await isDue(0.9), await isDue(1.1)]).toEqual([false, true]);
    await keep(2);
    expect(await isDue(60)).toBe(false);
  });

  it('whose head changes all the time is due when its figures are ten minutes old, or their revision is removed', async () => {
    await keep(1);
    await commit('2');
    const [first] = await database.query<{ at: Date }>('select received_at as at from revisions where number = 1');
    const earlier = new Date(first!.at.getTime() - 600_000);
    await database.query('update revisions set received_at = $1 where number = 1', [earlier]);
    expect(await isDue(0.5)).toBe(true);
    await database.query('delete from revisions where number = 1');
    expect(await isDue(0)).toBe(true);
  });

  it('is due if it is large and has no image of the form, for instance because retention has removed it', async () => {
    await keep(1, 8);
    expect(await isDue()).toBe(false);
    await keep(1, 9);
    expect(await isDue()).toBe(true);
    const head = { revision: 1, form: 1, loadedKinds: ['Node'], objects: 1, parts: 0 };
    await new StateImageStore(database).keep(clusterId, head, []);
    expect([await isDue(), await isDue(0, 2)]).toEqual([false, true]);
  });

  it('without a state is never due', async () => {
    await emptyDatabase(database);
    await new ClusterStore(database).put('empty');
    expect(await turns.due({ version: 'v', form: 1, fewestObjects: 10 }, new Date(), 5, nothingFails)).toEqual([]);
  });

  it('is taken by one process, and by another one when that has said nothing for ten minutes', async () => {
    const taken = await Promise.all([1, 2, 3].map(() => turns.take(clusterId)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    await pass(9.9);
    expect([await isDue(), await turns.take(clusterId)]).toEqual([false, false]);
    await pass(0.1);
    expect([await isDue(), await turns.take(clusterId)]).toEqual([true, true]);
  });

  it('rests for five minutes when it is given back', async () => {
    await turns.take(clusterId);
    await turns.leave(clusterId);
    await pass(4.9);
    expect(await turns.take(clusterId)).toBe(false);
    await pass(0.1);
    expect(await turns.take(clusterId)).toBe(true);
  });

  it('that is deleted is not taken', async () => {
    await database.query('delete from clusters');
    expect(await turns.take(clusterId)).toBe(false);
  });
});
