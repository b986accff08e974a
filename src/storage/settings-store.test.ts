import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emptyDatabase } from '../../test/support/empty-database.js';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { objectsAt, snapshotOf } from '../../test/support/snapshots.js';
import type { JsonObject } from '../core/json/json-value.js';
import { ClusterStore } from './cluster-store.js';
import { Database } from './database.js';
import { ObjectReader } from './object-reader.js';
import { Retention } from './retention.js';
import { RevisionStore } from './revision-store.js';
import { SettingsStore, type SettingChange, type SettingsToCommit } from './settings-store.js';
import { SnapshotWriter } from './snapshot-writer.js';
import { ClusterNotFound, NoRevision, NulCharacter } from './storage-error.js';
import { HeadMoved } from './taint-trail/head-moved.js';

let postgres: TestPostgres;
let database: Database;
let store: SettingsStore;
let reader: ObjectReader;
let writer: SnapshotWriter;
let revisions: RevisionStore;

beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await postgres.createDatabase();
  store = new SettingsStore(database);
  reader = new ObjectReader(database);
  writer = new SnapshotWriter(database);
  revisions = new RevisionStore(database);
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  await emptyDatabase(database);
});

const day = (number: number) => new Date(Date.UTC(2026, 5, number));
const pool = (name: string, content: JsonObject | null): SettingChange => ({ kind: 'Pool', name, content });
const set = (changes: readonly SettingChange[], more: Partial<SettingsToCommit> = {}) =>
  store.commit({ clusterId: 1, author: 'alice', now: day(2), changes, ...more });
const snapshot = (objects: Readonly<Record<string, string>>, on: number, backfill = false) =>
  writer.commit(snapshotOf(objects, { receivedAt: day(9), capturedAt: day(on), backfill }));
const poolsAt = async (revision: number) =>
  Object.keys(await objectsAt(reader, 1, revision)).filter((key) => key.startsWith('Pool/'));

describe('settings', () => {
  it('create a revision with an author, which keeps everything else of the previous one', async () => {
    await snapshot({ 'Node/a': '1', 'Node/b': '1' }, 1);
    expect(await set([pool('gpu', { label: 'gpu' })])).toEqual({ revision: 2, changed: true });
    expect(await revisions.get(1, 2)).toMatchObject({
      kind: 'settings',
      author: 'alice',
      capturedAt: day(1),
      receivedAt: day(2),
      loadedKinds: ['Node', 'Pod'],
      counts: new Map([
        ['Node', { added: 0, changed: 0, removed: 0, unchanged: 2 }],
        ['Pool', { added: 1, changed: 0, removed: 0, unchanged: 0 }],
      ]),
    });
    expect(Object.keys(await objectsAt(reader, 1, 2)).sort()).toEqual(['Node/a', 'Node/b', 'Pool/gpu']);
    expect(await poolsAt(1)).toEqual([]);
    const stored = await reader.get(1, 2, { kind: 'Pool', namespace: '', name: 'gpu' });
    expect(JSON.parse(stored!.content)).toEqual({
      apiVersion: 'kube-placement/v1',
      kind: 'Pool',
      metadata: { name: 'gpu' },
      content: { label: 'gpu' },
    });
  });

  it('create no revision if nothing changes', async () => {
    await snapshot({}, 1);
    await set([pool('gpu', { a: 1, b: 2 })]);
    expect(await set([pool('gpu', { b: 2, a: 1 }), pool('none', null)])).toEqual({ revision: 2, changed: false });
    expect(await revisions.get(1, 3)).toBeUndefined();
  });

  it('change and are deleted, several at a time', async () => {
    await snapshot({}, 1);
    await set([pool('a', { n: 1 }), pool('b', { n: 1 }), pool('c', { n: 1 })]);
    await set([pool('a', { n: 2 }), pool('b', null)]);
    expect(await poolsAt(3)).toEqual(expect.arrayContaining(['Pool/a', 'Pool/c']));
    expect(await poolsAt(3)).toHaveLength(2);
    expect((await revisions.get(1, 3))?.counts.get('Pool')).toEqual({ added: 0, changed: 1, removed: 1, unchanged: 1 });
    const { upserts, deletes } = await reader.changesBetween(1, 2, 3);
    expect([upserts.map(({ name }) => name), deletes.map(({ name }) => name)]).toEqual([['a'], ['b']]);
  });

  it('are carried over by snapshots, whatever those contain', async () => {
    await snapshot({ 'Node/a': '1' }, 1);
    await set([pool('gpu', {})]);
    await snapshot({ 'Node/b': '1' }, 3);
    expect(Object.keys(await objectsAt(reader, 1, 3)).sort()).toEqual(['Node/b', 'Pool/gpu']);
  });

  it('do not apply to a backfill from before them, and apply to the head that follows', async () => {
    await snapshot({ 'Node/a': '1' }, 1);
    await snapshot({ 'Node/a': '2' }, 4);
    await set([pool('gpu', {})], { now: day(5) });
    await snapshot({ 'Node/a': 'between' }, 3, true);
    expect(await poolsAt(4)).toEqual([]);
    expect(await poolsAt(5)).toEqual(['Pool/gpu']);
  });

  it('are found by the time of their creation', async () => {
    await snapshot({}, 1);
    await set([pool('gpu', {})], { now: day(3) });
    expect((await revisions.at(1, day(2)))?.number).toBe(1);
    expect((await revisions.at(1, day(3)))?.number).toBe(2);
  });

  it('remain when retention removes earlier revisions', async () => {
    await snapshot({}, 1);
    await set([pool('gpu', {})]);
    await snapshot({ 'Node/a': '1' }, 3);
    await new Retention(database).prune(1, { count: 1 });
    expect(await poolsAt(3)).toEqual(['Pool/gpu']);
  });

  it('are rejected if the head is not the expected one', async () => {
    await snapshot({}, 1);
    await expect(set([pool('gpu', {})], { expectedHead: 2 })).rejects.toThrow(HeadMoved);
    expect(await set([pool('gpu', {})], { expectedHead: 1 })).toMatchObject({ revision: 2 });
  });

  it('require a cluster with a state', async () => {
    await expect(set([pool('gpu', {})])).rejects.toThrow(ClusterNotFound);
    await new ClusterStore(database).put('empty');
    await expect(set([pool('gpu', {})])).rejects.toThrow(NoRevision);
  });

  it('cannot contain a NUL', async () => {
    await snapshot({}, 1);
    await expect(set([pool('gpu', { text: 'a\0b' })])).rejects.toThrow(NulCharacter);
  });

  it('may be written concurrently: each write creates its own revision', async () => {
    await snapshot({}, 1);
    const made = await Promise.all(Array.from({ length: 6 }, (_, i) => set([pool(`p${i}`, {})])));
    expect(made.map(({ revision }) => revision).sort()).toEqual([2, 3, 4, 5, 6, 7]);
    expect(await poolsAt(7)).toHaveLength(6);
  });
});
