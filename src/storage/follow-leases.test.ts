import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { nothingFails } from '../../test/support/nothing-fails.js';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { inOneBatch, objectRow, snapshotOf } from '../../test/support/snapshots.js';
import { without } from '../core/collections/without.js';
import { ClusterStore } from './cluster-store.js';
import type { Database } from './database.js';
import { DeltaWriter } from './delta-writer.js';
import { FollowLeases, LeaseLost } from './follow-leases.js';
import { FollowStore } from './follow-store.js';
import { SnapshotWriter } from './snapshot-writer.js';

let postgres: TestPostgres;
let database: Database;
let leases: FollowLeases;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  database = await postgres.createDatabase();
  leases = new FollowLeases(database);
});

async function connected(count: number, follow = true): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const { cluster } = await new ClusterStore(database).put(`c${number}`);
    await database.query(
      `insert into cluster_connections (cluster_id, details, secret, created_at, created_by)
       values ($1, $2, null, now(), 'ada')`,
      [cluster.id, JSON.stringify({ follow })],
    );
  }
}

const names = async (holder: string): Promise<readonly string[]> =>
  (await leases.share(holder, nothingFails)).clusters.map(({ name }) => name);
const expire = (holder: string): Promise<unknown> =>
  database.query(`update cluster_follows set leased_until = now() - interval '1 s' where holder = $1`, [holder]);
const die = async (holder: string): Promise<void> => {
  await expire(holder);
  await database.query(`update follow_replicas set seen_until = now() - interval '1 s' where holder = $1`, [holder]);
};

describe('the last signs of life', () => {
  it('are the same for clusters that are asked for together and one by one', async () => {
    await connected(3);
    const { cluster: silent } = await new ClusterStore(database).put('silent');
    const { cluster: agent } = await new ClusterStore(database).put('with-agent');
    await leases.share('a', nothingFails);
    await leases.saveStatus(2, 'a', { message: 'of c2' });
    await database.query(`update cluster_connections set details = '{"dryRuns":true}' where cluster_id = 3`);
    // An agent sends of c1, too, which is followed by its connection; of c3 it sends alone.
    await database.query(
      `insert into delta_streams (cluster_id, stream, sequence, captured_at, own, answer)
       select id, 's-' || id, 1, '2026-05-04T03:02:01Z', false, '{}' from unnest($1::bigint[]) as id`,
      [[1, 3, agent.id]],
    );
    await database.query(
      `insert into kind_positions (cluster_id, kind, stream) select id, 'Node', 's-' || id from unnest($1::bigint[]) as id`,
      [[1, 3, agent.id]],
    );
    const ids = [1, 2, 3, silent.id, agent.id];
    const alone = [];
    for (const id of ids) alone.push(await leases.lastSign(id));
    expect(alone.map((sign) => sign?.via)).toEqual(['connection', 'connection', 'agent', undefined, 'agent']);
    expect(alone[1]?.status).toEqual({ message: 'of c2' });
    expect(await Promise.all(ids.map((id) => leases.lastSign(id)))).toEqual(alone);
  });
});

describe('the leases of followed clusters', () => {
  it('give a single replica everything that is to be followed, and nothing else', async () => {
    await connected(3);
    await database.query(`update cluster_connections set details = '{"dryRuns":true}' where cluster_id = 3`);
    expect(await names('a')).toEqual(['c1', 'c2']);
    expect(await names('a')).toEqual(['c1', 'c2']);
  });

  it('are shared evenly when a replica comes, and taken over when one dies or leaves', async () => {
    await connected(5);
    expect(await names('a')).toHaveLength(5);
    expect(await names('b')).toEqual([]);
    expect(await names('a')).toEqual(['c1', 'c2', 'c3']);
    expect(await names('b')).toEqual(['c4', 'c5']);
    await die('a');
    expect(await names('b')).toHaveLength(5);
    await leases.leave('b', nothingFails);
    expect(await names('c')).toHaveLength(5);
  });

  it('are not renewed once they have ended, and each cluster has one holder at a time', async () => {
    await connected(1);
    expect(await names('a')).toEqual(['c1']);
    expect(await names('b')).toEqual([]);
    await expire('a');
    expect(await names('b')).toEqual(['c1']);
    expect(await names('a')).toEqual([]);
  });

  it('end with the connection, or when it is put without follow', async () => {
    await connected(2);
    expect(await names('a')).toHaveLength(2);
    await database.query('delete from cluster_connections where cluster_id = 1');
    await database.query(`update cluster_connections set details = '{"follow":false}' where cluster_id = 2`);
    expect(await names('a')).toEqual([]);
  });

  it('are what snapshots and deltas of a follower need', async () => {
    await connected(1);
    await leases.share('a', nothingFails);
    const snapshots = new SnapshotWriter(database);
    const deltas = new DeltaWriter(database);
    const snapshot = {
      ...snapshotOf({}, { rows: inOneBatch([objectRow('Node//n', 'one', '1')]) }),
      cluster: { name: 'c1' },
    };
    await expect(snapshots.commit({ ...snapshot, lease: 'b' })).rejects.toThrow(LeaseLost);
    await snapshots.commit({ ...snapshot, rows: inOneBatch([objectRow('Node//n', 'one', '1')]), lease: 'a' });
    const delta = {
      cluster: 'c1',
      stream: 's',
      sequence: 1,
      capturedAt: null,
      receivedAt: new Date(),
      author: null,
      rows: [objectRow('Node//n', 'two', '2')],
      deletions: [],
      positions: [],
    };
    await expect(deltas.commit({ ...delta, lease: 'b' })).rejects.toThrow(LeaseLost);
    expect((await deltas.commit({ ...delta, lease: 'a' })).sequence).toBe(1);
    await expire('a');
    await expect(deltas.commit({ ...delta, sequence: 2, lease: 'a' })).rejects.toThrow(LeaseLost);
    const found: string[] = [];
    await leases.storedObjects(1, ['Node'], ({ name, resourceVersion }) => found.push(`${name} ${resourceVersion}`));
    expect(found).toEqual(['n 2']);
  });

  it('make no revision of a list that was read anew and differs in nothing, but note how far it goes', async () => {
    await connected(1);
    await leases.share('a', nothingFails);
    const snapshots = new SnapshotWriter(database);
    const follows = new FollowStore(database);
    const list = (version: string, content = 'one', kinds = ['Node']): Parameters<SnapshotWriter['commit']>[0] => ({
      ...snapshotOf({}, { rows: inOneBatch([objectRow('Node//n', content, version)]) }),
      cluster: { name: 'c1' },
      lease: 'a',
      describe: () => ({
        scope: { kinds, namespaces: null },
        stats: {},
        findings: [],
        kubernetesVersion: null,
        positions: new Map([['Node', version]]),
      }),
    });
    const revisions = async (): Promise<number> =>
      Number((await database.query<{ n: string }>('select count(*) as n from revisions'))[0]!.n);
    const position = async (): Promise<string | null | undefined> =>
      (await follows.deltaState(1)).positions.find(({ kind }) => kind === 'Node')?.resourceVersion;

    expect((await snapshots.commit(list('1'))).revision).toBe(1);
    const again = await snapshots.commit(list('7'));
    expect([again.revision, again.head, again.previous, again.unchanged]).toEqual([1, 1, 1, true]);
    expect([await revisions(), await position()]).toEqual([1, '7']);
    const versions: string[] = [];
    await leases.storedObjects(1, ['Node'], ({ resourceVersion }) => versions.push(String(resourceVersion)));
    expect(versions).toEqual(['7']);

    // A kind that was not loaded before, a difference, and a change that waits to be confirmed each make one.
    expect((await snapshots.commit(list('8', 'one', ['Node', 'Pod']))).revision).toBe(2);
    expect((await snapshots.commit(list('9', 'two'))).revision).toBe(3);
    await database.query('update revisions set unconfirmed_nodes = 1 where number = 3');
    expect((await snapshots.commit(list('10', 'two'))).revision).toBe(4);
    // A snapshot that somebody sends is a revision of its own.
    expect((await snapshots.commit(without(list('11', 'two'), 'lease'))).revision).toBe(5);
  });

  it('keep what a holder says of its cluster, until it loses it', async () => {
    await connected(1);
    await leases.share('a', nothingFails);
    await leases.saveStatus(1, 'b', { by: 'b' });
    expect(await leases.status(1)).toBeUndefined();
    await leases.saveStatus(1, 'a', { by: 'a' });
    expect(await leases.status(1)).toEqual({ by: 'a' });
    await expire('a');
    expect(await leases.status(1)).toBeUndefined();
  });
});
