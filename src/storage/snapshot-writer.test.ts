import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import type { EncodedRow, ObjectRow, SnapshotRow } from '../core/cluster/object-row.js';
import { emptyDatabase } from '../../test/support/empty-database.js';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { inOneBatch, objectRow, objectsAt, type Objects, rowsOf, snapshotOf } from '../../test/support/snapshots.js';
import { ClusterStore } from './cluster-store.js';
import { Database } from './database.js';
import { ObjectReader } from './object-reader.js';
import { RevisionStore } from './revision-store.js';
import { SnapshotWriter } from './snapshot-writer.js';
import { ClusterNotFound, NulCharacter, SnapshotOlderThanHead, StorageUnavailable } from './storage-error.js';

const BY = { author: 'alice', at: new Date('2026-06-01T00:00:00Z') };

let postgres: TestPostgres;
let database: Database;
let writer: SnapshotWriter;
let reader: ObjectReader;
let revisions: RevisionStore;
let clusters: ClusterStore;

beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await postgres.createDatabase();
  writer = new SnapshotWriter(database);
  reader = new ObjectReader(database);
  revisions = new RevisionStore(database);
  clusters = new ClusterStore(database);
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  await emptyDatabase(database);
});

const time = (day: number) => new Date(Date.UTC(2026, 5, day));

async function versionCount(): Promise<number> {
  const [row] = await database.query<{ count: string }>('select count(*) from object_versions');
  return Number(row!.count);
}

/** Rows in batches that the test sends one at a time. */
function controlledRows() {
  const batches: (readonly ObjectRow[] | null)[] = [];
  let wake: () => void = () => undefined;
  let asked: () => void = () => undefined;
  const waiting = new Promise<void>((resolve) => (asked = resolve));
  async function* rows() {
    for (;;) {
      const batch = batches.shift();
      if (batch === null) return;
      if (batch !== undefined) yield batch;
      else {
        asked();
        await new Promise<void>((resolve) => (wake = resolve));
      }
    }
  }
  return {
    rows: rows(),
    /** Resolves when the writer waits for the first batch that was not sent. */
    waiting,
    send: (batch: readonly ObjectRow[] | null) => {
      batches.push(batch);
      wake();
    },
  };
}

/** Rows with references to objects of the state in place of those that it has, and then others. */
async function* withReferences(
  rows: readonly ObjectRow[],
  known: Uint8Array,
  then?: AsyncIterable<readonly SnapshotRow[]>,
): AsyncGenerator<readonly SnapshotRow[]> {
  yield rows.map((row) => {
    const unchanged = Array.from({ length: known.length / 16 }, (_, index) => index).find((index) =>
      Buffer.from(known.subarray(index * 16, index * 16 + 16)).equals(row.hash),
    );
    return unchanged === undefined ? row : { unchanged, resourceVersion: row.resourceVersion };
  });
  if (then !== undefined) yield* then;
}

describe('a snapshot', () => {
  it('becomes the first revision of a cluster that it creates', async () => {
    const committed = await writer.commit(snapshotOf({ 'Node/a': '1', 'Pod/x/web': '1' }, { capturedAt: time(2) }));
    expect(committed).toMatchObject({
      clusterName: 'test',
      clusterCreated: true,
      revision: 1,
      head: 1,
      previous: null,
      unchanged: false,
      capturedAt: time(2),
    });
    expect([...committed.counts]).toEqual([
      ['Node', { added: 1, changed: 0, removed: 0, unchanged: 0 }],
      ['Pod', { added: 1, changed: 0, removed: 0, unchanged: 0 }],
    ]);
    expect(await objectsAt(reader, committed.clusterId, 1)).toEqual({ 'Node/a': '1', 'Pod/x/web': '1' });
    expect(await revisions.head(committed.clusterId)).toMatchObject({
      number: 1,
      kind: 'snapshot',
      capturedAt: time(2),
      scope: { kinds: ['Node', 'Pod'], namespaces: null },
      loadedKinds: ['Node', 'Pod'],
      kubernetesVersion: 'v1.36.2',
    });
  });

  it('leaves every earlier revision unchanged', async () => {
    const history: Objects[] = [
      { 'Node/a': '1', 'Node/b': '1' },
      { 'Node/a': '2', 'Node/b': '1', 'Pod/x/web': '1' },
      { 'Pod/x/web': '1' },
      { 'Node/a': '1', 'Pod/x/web': '2' },
    ];
    for (const objects of history) await writer.commit(snapshotOf(objects));
    for (const [index, objects] of history.entries()) expect(await objectsAt(reader, 1, index + 1)).toEqual(objects);
  });

  it('counts what it adds, changes, removes and leaves unchanged', async () => {
    await writer.commit(snapshotOf({ 'Pod/x/a': '1', 'Pod/x/b': '1', 'Pod/x/c': '1', 'Pod/x/d': '1' }));
    const { counts } = await writer.commit(snapshotOf({ 'Pod/x/a': '1', 'Pod/x/b': '2', 'Pod/x/e': '1' }));
    expect(Object.fromEntries(counts)).toEqual({ Pod: { added: 1, changed: 1, removed: 2, unchanged: 1 } });
    expect((await revisions.head(1))?.counts).toEqual(counts);
  });

  it('writes no version if nothing differs, but still creates a revision with its capture time', async () => {
    const objects = { 'Node/a': '1', 'Pod/x/web': '1' };
    await writer.commit(snapshotOf(objects, { capturedAt: time(1) }));
    const committed = await writer.commit(snapshotOf(objects, { capturedAt: time(2) }));
    expect(committed).toMatchObject({ revision: 2, previous: 1, unchanged: true });
    expect(await versionCount()).toBe(2);
    expect(await revisions.head(1)).toMatchObject({ number: 2, capturedAt: time(2) });
    expect(await objectsAt(reader, 1, 2)).toEqual(objects);
  });

  it.each([
    ['the second differs', ['1', '2'], '2', 2],
    ['the first is what the head has', ['0', '2'], '2', 2],
    ['the last is what the head has', ['2', '0'], '0', 1],
    ['the last repeats the first', ['2', '3', '2'], '2', 2],
  ])('takes the last of several rows with one key: %s', async (_, contents, expected, versions) => {
    await writer.commit(snapshotOf({ 'Node/a': '0' }));
    const rows = contents.map((content) => objectRow('Node/a', content));
    await writer.commit(snapshotOf({}, { rows: inOneBatch(rows) }));
    expect(await objectsAt(reader, 1, 2)).toEqual({ 'Node/a': expected });
    expect(await versionCount()).toBe(versions);

    await writer.commit(snapshotOf({ 'Node/a': '0' }, { cluster: { name: 'other', create: true } }));
    const { clusterId } = await writer.commit(
      snapshotOf({}, { cluster: { name: 'other' }, rows: (known) => withReferences(rows, known) }),
    );
    expect(await objectsAt(reader, clusterId, 2)).toEqual({ 'Node/a': expected });
  });

  it('refers to objects of the head by their positions, with their resourceVersions', async () => {
    const objects = { 'Node/a': '1', 'Node/b': '1', 'Pod/x/web': '1' };
    await writer.commit(snapshotOf(objects));
    const again = rowsOf({ ...objects, 'Node/b': '2' }).map((row) => ({ ...row, resourceVersion: '7' }));
    const { counts } = await writer.commit(snapshotOf({}, { rows: (known) => withReferences(again, known) }));
    expect(Object.fromEntries(counts)).toEqual({
      Node: { added: 0, changed: 1, removed: 0, unchanged: 1 },
      Pod: { added: 0, changed: 0, removed: 0, unchanged: 1 },
    });
    expect(await objectsAt(reader, 1, 2)).toEqual({ ...objects, 'Node/b': '2' });
    expect(await versionCount()).toBe(4);
    const versions = await database.query(
      'select distinct resource_version from object_versions where valid_to is null',
    );
    expect(versions).toEqual([{ resource_version: '7' }]);
  });

  it('restores what the head has lost since the snapshot began to refer to it', async () => {
    await writer.commit(snapshotOf({ 'Node/a': '1', 'Node/b': '1' }));
    const begun = controlledRows();
    const rows = (known: Uint8Array) => withReferences(rowsOf({ 'Node/a': '1', 'Node/b': '1' }), known, begun.rows);
    const slowly = writer.commit(snapshotOf({}, { rows }));
    await begun.waiting;
    await writer.commit(snapshotOf({ 'Node/a': '2' }));
    begun.send(null);
    expect(await slowly).toMatchObject({ revision: 3, unchanged: false });
    expect(await objectsAt(reader, 1, 3)).toEqual({ 'Node/a': '1', 'Node/b': '1' });
  });

  it('stores content verbatim, whatever its characters', async () => {
    const content = '{"a":"tab\\t \\\\ \\u00e9 é 😀 \\\\u0000","n":9223372036854775807,"q":1e99999999999}';
    const row = { ...objectRow('Pod/x/back\\slash\tand\nmore'), uid: null, content };
    await writer.commit(snapshotOf({}, { rows: inOneBatch([row]) }));
    const key = { kind: 'Pod', namespace: 'x', name: row.name };
    expect(await reader.get(1, 1, key)).toEqual({ ...key, hash: Buffer.from(row.hash).toString('hex'), content });
  });

  it('stores prototype names like any other', async () => {
    const objects = Object.fromEntries([['Pod/constructor/__proto__', '1']]);
    await writer.commit(snapshotOf(objects, { cluster: { name: '__proto__', create: true } }));
    expect(await objectsAt(reader, 1, 1)).toEqual(objects);
    expect((await clusters.get('__proto__'))?.headRevision).toBe(1);
  });

  it('of an unknown cluster is rejected before a row is read, unless it may create the cluster', async () => {
    const rows = controlledRows();
    const refused = writer.commit(snapshotOf({}, { cluster: { name: 'absent' }, rows: rows.rows }));
    await expect(refused).rejects.toThrow(ClusterNotFound);
    await expect(writer.commit(snapshotOf({}, { cluster: { id: 77 } }))).rejects.toThrow(ClusterNotFound);
  });

  it.each([
    ['in a name', { ...objectRow('Pod/x/web'), name: 'we\0b' }, 'Pod x/we\\u0000b: name'],
    ['escaped in the content', { ...objectRow('Pod/x/web'), content: '{"a":"\\\\\\u0000"}' }, 'Pod x/web: content'],
  ])('with a NUL %s is refused by name', async (_, row, where) => {
    const refused = writer.commit(snapshotOf({}, { rows: inOneBatch([objectRow('Node/a'), row]) }));
    await expect(refused).rejects.toThrow(NulCharacter);
    await expect(refused).rejects.toMatchObject({ code: 'NulCharacter', where });
    expect(await clusters.list()).toEqual([]);
  });

  it('accumulates all kinds ever loaded', async () => {
    await writer.commit(snapshotOf({}, { scope: { kinds: ['Pod', 'Node'], namespaces: null } }));
    await writer.commit(snapshotOf({}, { scope: { kinds: ['Lease'], namespaces: null } }));
    expect((await revisions.head(1))?.loadedKinds).toEqual(['Lease', 'Node', 'Pod']);
  });
});

describe('the scope', () => {
  const before = {
    'Node/a': '1',
    'Pod/x/p': '1',
    'Pod/y/p': '1',
    'Lease/x/l': '1',
    'Namespace/x': '1',
    'Namespace/y': '1',
  };
  const all = ['Node', 'Pod', 'Lease', 'Namespace'];
  it.each<[string, string[], string[] | null, Objects, Objects]>([
    ['everything: absent objects are deleted', all, null, { 'Pod/x/p': '2' }, { 'Pod/x/p': '2' }],
    ['no kind: all carries over', [], null, {}, before],
    [
      'one kind: the others carry over',
      ['Pod'],
      null,
      { 'Pod/x/q': '1' },
      { 'Node/a': '1', 'Pod/x/q': '1', 'Lease/x/l': '1', 'Namespace/x': '1', 'Namespace/y': '1' },
    ],
    [
      'one namespace: the others carry over, and so do kinds that are not listed',
      ['Pod', 'Lease'],
      ['x'],
      {},
      { 'Node/a': '1', 'Pod/y/p': '1', 'Namespace/x': '1', 'Namespace/y': '1' },
    ],
    [
      'a cluster-scoped kind beside a namespace: complete, for it was listed',
      ['Node'],
      ['x'],
      {},
      { 'Pod/x/p': '1', 'Pod/y/p': '1', 'Lease/x/l': '1', 'Namespace/x': '1', 'Namespace/y': '1' },
    ],
    [
      'Namespace beside a namespace: only that one',
      ['Namespace'],
      ['x'],
      {},
      { 'Node/a': '1', 'Pod/x/p': '1', 'Pod/y/p': '1', 'Lease/x/l': '1', 'Namespace/y': '1' },
    ],
    [
      'a row outside is stored all the same',
      ['Node'],
      null,
      { 'Node/a': '1', 'Pod/y/p': '2' },
      { ...before, 'Pod/y/p': '2' },
    ],
  ])('%s', async (_, kinds, namespaces, given, after) => {
    await writer.commit(snapshotOf(before, { scope: { kinds: all, namespaces: null } }));
    await writer.commit(snapshotOf(given, { scope: { kinds, namespaces } }));
    expect(await objectsAt(reader, 1, 2)).toEqual(after);
    expect(await objectsAt(reader, 1, 1)).toEqual(before);
  });
});

describe('two concurrent snapshots', () => {
  it('are both stored, one after the other, with consecutive numbers', async () => {
    await writer.commit(snapshotOf({}));
    const all = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((n) => writer.commit(snapshotOf({ [`Node/n${n}`]: '1', 'Node/shared': String(n) }))),
    );
    expect(all.map(({ revision }) => revision).sort()).toEqual([2, 3, 4, 5, 6, 7]);
    for (const [index, { revision }] of all.entries()) {
      expect(await objectsAt(reader, 1, revision)).toEqual({
        [`Node/n${index + 1}`]: '1',
        'Node/shared': String(index + 1),
      });
    }
  });

  it('create one cluster if both may create it', async () => {
    const all = await Promise.all([1, 2, 3].map((n) => writer.commit(snapshotOf({ [`Node/n${n}`]: '1' }))));
    expect(all.map(({ revision }) => revision).sort()).toEqual([1, 2, 3]);
    expect(all.filter(({ clusterCreated }) => clusterCreated)).toHaveLength(1);
    expect(await clusters.list()).toHaveLength(1);
  });

  it('do not block each other while a sender is slow, and the slow one is compared with the new head', async () => {
    await writer.commit(snapshotOf({ 'Node/same': '1', 'Node/back': '1', 'Node/gone': '1', 'Pod/x/p': '1' }));
    const slow = controlledRows();
    const slowly = writer.commit(snapshotOf({}, { rows: slow.rows, scope: { kinds: ['Node'], namespaces: null } }));
    slow.send(rowsOf({ 'Node/same': '1', 'Node/back': '1', 'Node/staged': '9' }));
    await slow.waiting;
    // Meanwhile the head moves: it changes an object that the slow snapshot has unchanged, removes another, and makes a
    // third equal.
    await writer.commit(snapshotOf({ 'Node/same': '1', 'Node/back': '2', 'Node/staged': '9', 'Pod/x/p': '2' }));
    slow.send(null);
    expect(await slowly).toMatchObject({ revision: 3, previous: 2 });
    expect(await objectsAt(reader, 1, 3)).toEqual({
      'Node/same': '1',
      'Node/back': '1',
      'Node/staged': '9',
      'Pod/x/p': '2',
    });
    expect(await objectsAt(reader, 1, 2)).toEqual({
      'Node/same': '1',
      'Node/back': '2',
      'Node/staged': '9',
      'Pod/x/p': '2',
    });
    // The versions are: same, back (1, 2, 1), gone, staged, p (1, 2).
    expect(await versionCount()).toBe(8);
  });

  it('without capture times never conflict; with capture times, the older one is rejected at the end', async () => {
    await writer.commit(snapshotOf({}, { receivedAt: time(1) }));
    const first = controlledRows();
    const second = controlledRows();
    const timeless = writer.commit(snapshotOf({}, { rows: first.rows, receivedAt: time(2) }));
    const timed = writer.commit(snapshotOf({}, { rows: second.rows, capturedAt: time(2) }));
    const refused = expect(timed).rejects.toThrow(SnapshotOlderThanHead);
    await Promise.all([first.waiting, second.waiting]);
    await writer.commit(snapshotOf({}, { receivedAt: time(3) }));
    first.send(null);
    expect(await timeless).toMatchObject({ revision: 3, capturedAt: time(3) });
    second.send(null);
    await refused;
    expect((await revisions.head(1))?.number).toBe(3);
  });
});

describe('a snapshot that fails leaves nothing behind', () => {
  /** Enough rows to be staged while more are awaited. */
  const large = () => Array.from({ length: 60 }, (_, index) => objectRow(`Pod/x/large-${index}`, 'x'.repeat(100_000)));

  it.each([
    ['before anything was staged', () => rowsOf({ 'Node/b': '1' })],
    ['after much was staged', large],
  ])('when its sender hangs up %s', async (_, sent) => {
    const abort = new AbortController();
    const cut = controlledRows();
    const committing = writer.commit(snapshotOf({}, { rows: cut.rows, signal: abort.signal }));
    const refused = expect(committing).rejects.toMatchObject({ code: 'SnapshotAborted' });
    cut.send(sent());
    await cut.waiting;
    abort.abort(new Error('the client hung up'));
    await refused;
    expect(await clusters.list()).toEqual([]);
    expect(await versionCount()).toBe(0);
    expect(await writer.commit(snapshotOf({ 'Node/a': '1' }))).toMatchObject({ revision: 1 });
  });

  it.each<[string, () => AsyncIterable<readonly ObjectRow[]>]>([
    [
      'at once',
      async function* () {
        yield await Promise.reject<readonly ObjectRow[]>(new Error('broken body'));
      },
    ],
    [
      'after much was staged',
      async function* () {
        yield large();
        yield await Promise.reject<readonly ObjectRow[]>(new Error('broken body'));
      },
    ],
  ])('when its rows break %s', async (_, rows) => {
    await expect(writer.commit(snapshotOf({}, { rows: rows() }))).rejects.toThrow('broken body');
    expect(await clusters.list()).toEqual([]);
    expect(await versionCount()).toBe(0);
  });

  it('when it turns out to be invalid after its last row', async () => {
    const describe = () => {
      throw new Error('invalid');
    };
    await expect(writer.commit({ ...snapshotOf({ 'Node/a': '1' }), describe })).rejects.toThrow('invalid');
    expect(await clusters.list()).toEqual([]);
    expect(await versionCount()).toBe(0);
  });

  it('when its connection is killed, and the next one succeeds without a restart', async () => {
    await writer.commit(snapshotOf({ 'Node/a': '1' }));
    const killed = controlledRows();
    const committing = writer.commit(snapshotOf({}, { rows: killed.rows }));
    const refused = expect(committing).rejects.toThrow(StorageUnavailable);
    killed.send(large());
    await killed.waiting;
    const [row] = await database.query<{ count: string }>(
      `select count(pg_terminate_backend(pid)) from pg_stat_activity
       where datname = current_database() and state = 'idle in transaction'`,
    );
    expect(Number(row!.count)).toBe(1);
    killed.send(null);
    await refused;
    expect((await revisions.head(1))?.number).toBe(1);
    expect(await writer.commit(snapshotOf({ 'Node/a': '2' }))).toMatchObject({ revision: 2 });
    expect(await objectsAt(reader, 1, 2)).toEqual({ 'Node/a': '2' });
  });

  it('when its cluster is deleted in the meantime', async () => {
    await writer.commit(snapshotOf({ 'Node/a': '1' }));
    const late = controlledRows();
    const committing = writer.commit(snapshotOf({}, { cluster: { name: 'test' }, rows: late.rows }));
    const refused = expect(committing).rejects.toThrow(ClusterNotFound);
    await late.waiting;
    await clusters.delete('test', BY);
    late.send(null);
    await refused;
    expect(await versionCount()).toBe(0);
  });

  it('when the cluster it was compared with is replaced by another with the same name', async () => {
    await writer.commit(snapshotOf({ 'Node/a': '1' }));
    const late = controlledRows();
    const committing = writer.commit(snapshotOf({}, { rows: late.rows }));
    const refused = expect(committing).rejects.toMatchObject({ code: 'SnapshotBaseGone' });
    late.send(rowsOf({ 'Node/a': '1' }));
    await late.waiting;
    await clusters.delete('test', BY);
    late.send(null);
    await refused;
    expect(await clusters.list()).toEqual([]);
  });
});

/** More than the writer collects before it needs a connection. */
const LARGE = 'x'.repeat(5 * 1024 * 1024);

describe('the first snapshot of a cluster, if it is large', () => {
  const all = { 'Node/a': '3', 'Node/b': '1', 'Node/c': LARGE, 'Node/d': LARGE, 'Pod/x/p': '2' };
  async function* repeating(): AsyncGenerator<readonly ObjectRow[]> {
    yield rowsOf({ 'Node/a': '1', 'Node/b': '1', 'Node/c': LARGE });
    yield rowsOf({ 'Node/a': '2', 'Pod/x/p': '1' });
    yield await Promise.resolve(rowsOf({ 'Node/d': LARGE, 'Node/a': '3', 'Node/b': '2' }));
    yield rowsOf({ 'Node/b': '1', 'Pod/x/p': '2' });
  }

  it('has the last of several rows with one key, however far apart they are', async () => {
    const { clusterId, counts, ...committed } = await writer.commit(snapshotOf({}, { rows: repeating() }));
    expect(committed).toMatchObject({ clusterCreated: true, revision: 1, previous: null, unchanged: false });
    expect(counts.get('Node')).toEqual({ added: 4, changed: 0, removed: 0, unchanged: 0 });
    expect(await objectsAt(reader, clusterId, 1)).toEqual(all);
    expect(await versionCount()).toBe(5);
    expect(await writer.commit(snapshotOf(all))).toMatchObject({ revision: 2, unchanged: true });
  });

  it('does not keep others from creating the cluster, and then follows what they have stored', async () => {
    const begun = controlledRows();
    async function* rows(): AsyncGenerator<readonly SnapshotRow[]> {
      yield* repeating();
      yield* begun.rows;
    }
    const slowly = writer.commit(snapshotOf({}, { rows: rows(), capturedAt: time(2) }));
    await begun.waiting;
    const other = { 'Node/a': '3', 'Node/b': '0', 'Node/z': '1' };
    const { clusterId } = await writer.commit(snapshotOf(other, { capturedAt: time(1) }));
    begun.send([{ ...objectRow('Node/d', LARGE), resourceVersion: '9' }]);
    begun.send(null);
    const committed = await slowly;
    expect(committed).toMatchObject({ clusterId, clusterCreated: false, revision: 2, previous: 1 });
    expect(committed.counts.get('Node')).toEqual({ added: 2, changed: 1, removed: 1, unchanged: 1 });
    expect(await objectsAt(reader, clusterId, 1)).toEqual(other);
    expect(await objectsAt(reader, clusterId, 2)).toEqual(all);
    const clustersWithRows = await database.query('select distinct cluster_id from object_versions');
    expect(clustersWithRows).toEqual([{ cluster_id: String(clusterId) }]);
  });

  it('stores texts as they are: quotes, tabs, line feeds, and more than ASCII', async () => {
    const odd = {
      ...objectRow('Pod/x/é\ttab\\n'),
      uid: null,
      content: '{"content":"é 😀 \\n \\\\"}',
      resourceVersion: null,
    };
    const { content, ...rest } = { ...odd, name: 'encoded' };
    const encoded = { ...rest, utf8: Buffer.from(content) };
    const { clusterId } = await writer.commit(
      snapshotOf({}, { rows: inOneBatch([objectRow('Node/l', LARGE), odd, encoded]) }),
    );
    for (const { namespace, name } of [odd, encoded]) {
      expect((await reader.get(clusterId, 1, { kind: 'Pod', namespace, name }))?.content).toBe(odd.content);
    }
    const [row] = await database.query(`select uid, resource_version from object_versions where name = 'encoded'`);
    expect(row).toEqual({ uid: null, resource_version: null });
  });

  it('gives each batch back when its rows are stored, and uses none of its bytes after that', async () => {
    const text = 'x'.repeat(300_000);
    const batches = Array.from({ length: 40 }, (_, at) =>
      [`Pod/x/${at}`, `Pod/x/and-${at}`, 'Pod/x/again'].map((key) => {
        const { content, ...rest } = objectRow(key, `${text} ${at}`);
        return { ...rest, utf8: Buffer.from(content) };
      }),
    );
    const same = batches.map(([first]) => [{ ...first!, utf8: Buffer.from(first!.utf8) }]);
    const taking = (given: readonly (readonly EncodedRow[])[], create: boolean) => {
      let unreleased = 0;
      let most = 0;
      const notReleased = new Set<readonly SnapshotRow[]>(given);
      async function* rows(): AsyncGenerator<readonly EncodedRow[]> {
        for (const batch of given) {
          await Promise.resolve();
          most = Math.max(most, ++unreleased);
          yield batch;
        }
      }
      const release = (batch: readonly SnapshotRow[]): void => {
        expect(notReleased.delete(batch)).toBe(true);
        unreleased--;
        for (const row of batch) if ('utf8' in row) row.utf8.fill(0);
      };
      const committing = writer.commit(
        snapshotOf(
          {},
          {
            ...(create ? {} : { scope: { kinds: [], namespaces: null } }),
            rows: { [Symbol.asyncIterator]: rows, release },
          },
        ),
      );
      return committing.then((committed) => ({ committed, most, kept: notReleased.size }));
    };
    const wanted = Object.fromEntries([
      ...batches.flatMap((_, at) => [`Pod/x/${at}`, `Pod/x/and-${at}`].map((key) => [key, `${text} ${at}`])),
      ['Pod/x/again', `${text} 39`],
    ]) as Objects;
    const first = await taking(batches, true);
    expect(await objectsAt(reader, first.committed.clusterId, 1)).toEqual(wanted);
    // 4 MiB are collected before they are sent, and as much is read meanwhile; the last ones are left to the garbage collector.
    expect(first.most).toBeLessThan(15);
    expect(first.kept).toBeLessThan(8);
    // Nothing is kept of batches that bring nothing new.
    const again = await taking(same, false);
    expect([again.committed.unchanged, again.most, again.kept]).toEqual([true, 1, 0]);
    expect(await objectsAt(reader, first.committed.clusterId, 2)).toEqual(wanted);
  });

  it('is refused if an encoded row has a NUL', async () => {
    const { content, ...rest } = objectRow('Node/a');
    for (const [given, refused] of [
      [content.replace('one', '\\u0000'), true],
      [content.replace('one', '\\\\u0000'), false],
      [content.replace('one', '\0'), true],
    ] as const) {
      const committing = writer.commit(snapshotOf({}, { rows: inOneBatch([{ ...rest, utf8: Buffer.from(given) }]) }));
      if (refused) await expect(committing).rejects.toThrow(NulCharacter);
      else await committing;
    }
  });
});

describe('large snapshots of several senders', () => {
  /**
   * Enough rows to need a connection, then none until `end` is called; `holding` resolves when the snapshot has the
   * connection.
   */
  const stalled = (
    key: string,
  ): { rows: AsyncGenerator<readonly ObjectRow[]>; holding: Promise<void>; end: () => void } => {
    let end = (): void => undefined;
    let hold = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const holding = new Promise<void>((resolve) => (hold = resolve));
    async function* rows(): AsyncGenerator<readonly ObjectRow[]> {
      yield rowsOf({ [key]: LARGE });
      hold();
      await ended;
    }
    return { rows: rows(), holding, end };
  };
  const large = (name: string, sender: string, rows: AsyncGenerator<readonly ObjectRow[]>) =>
    snapshotOf({}, { cluster: { name, create: true }, sender, rows });

  it('of one sender do not block another sender, and further ones of the same sender are rejected after a while', async () => {
    const shared = new SnapshotWriter(database, { total: 2, perCaller: 1, longestWaitMs: 50 });
    const [first, second] = [stalled('Node/a'), stalled('Node/b')];
    const storing = shared.commit(large('one', 'a', first.rows));
    // If two arrive at once, the database decides which is first.
    await first.holding;
    const refused = shared.commit(large('two', 'a', second.rows));
    await expect(refused).rejects.toMatchObject({ code: 'TooManySnapshots' });
    const other = stalled('Node/c');
    other.end();
    expect(await shared.commit(large('three', 'b', other.rows))).toMatchObject({ revision: 1 });
    first.end();
    expect(await storing).toMatchObject({ revision: 1 });
    expect((await clusters.list()).map(({ name }) => name).sort()).toEqual(['one', 'three']);
  });

  it('that wait are stored when a slot is free, and leave the queue when they are aborted', async () => {
    const shared = new SnapshotWriter(database, { total: 1, perCaller: 1, longestWaitMs: 60_000 });
    const [first, given, next] = [stalled('Node/a'), stalled('Node/b'), stalled('Node/c')];
    const storing = shared.commit(large('one', 'a', first.rows));
    const controller = new AbortController();
    const givenUp = shared.commit({ ...large('two', 'b', given.rows), signal: controller.signal });
    const waiting = shared.commit(large('three', 'c', next.rows));
    controller.abort();
    await expect(givenUp).rejects.toMatchObject({ code: 'SnapshotAborted' });
    next.end();
    first.end();
    expect(await Promise.all([storing, waiting])).toMatchObject([{ revision: 1 }, { revision: 1 }]);
  });
});

describe('a snapshot older than the head', () => {
  it('is rejected before its rows are read, with both times', async () => {
    await writer.commit(snapshotOf({}, { capturedAt: time(5) }));
    const refused = writer.commit(snapshotOf({}, { capturedAt: time(4), rows: controlledRows().rows }));
    await expect(refused).rejects.toMatchObject({
      code: 'SnapshotOlderThanHead',
      capturedAt: time(4),
      headCapturedAt: time(5),
      headRevision: 1,
    });
  });

  it('is not older if the times are equal', async () => {
    await writer.commit(snapshotOf({}, { capturedAt: time(5) }));
    expect(await writer.commit(snapshotOf({}, { capturedAt: time(5) }))).toMatchObject({ revision: 2 });
  });

  it('becomes a past state with backfill: the head is restated, and queries by time are correct', async () => {
    const first = { 'Node/a': '1', 'Node/b': '1', 'Pod/x/p': '1' };
    const head = { 'Node/a': '3', 'Node/c': '3', 'Pod/x/p': '1' };
    await writer.commit(snapshotOf(first, { capturedAt: time(1) }));
    await writer.commit(snapshotOf(head, { capturedAt: time(9), source: 'the head' }));
    const committed = await writer.commit(
      snapshotOf(
        { 'Node/a': '1', 'Node/d': '2' },
        { capturedAt: time(5), backfill: true, scope: { kinds: ['Node', 'Lease'], namespaces: null } },
      ),
    );
    expect(committed).toMatchObject({ revision: 3, head: 4, previous: 2, unchanged: false });
    // Pod/x/p is outside the scope and carried over from the first revision.
    const backfilled = { 'Node/a': '1', 'Node/d': '2', 'Pod/x/p': '1' };
    expect(await objectsAt(reader, 1, 1)).toEqual(first);
    expect(await objectsAt(reader, 1, 2)).toEqual(head);
    expect(await objectsAt(reader, 1, 3)).toEqual(backfilled);
    expect(await objectsAt(reader, 1, 4)).toEqual(head);
    const numbersAt = [0, 1, 4, 5, 8, 9, 20].map(async (day) => (await revisions.at(1, time(day)))?.number);
    expect(await Promise.all(numbersAt)).toEqual([undefined, 1, 1, 3, 3, 4, 4]);
    expect(await revisions.get(1, 3)).toMatchObject({ backfill: true, loadedKinds: ['Lease', 'Node', 'Pod'] });
    expect(await revisions.head(1)).toMatchObject({
      number: 4,
      kind: 'restatement',
      capturedAt: time(9),
      source: 'the head',
      loadedKinds: ['Node', 'Pod'],
    });
    expect((await clusters.get('test'))?.headRevision).toBe(4);
    expect(await writer.commit(snapshotOf(head, { capturedAt: time(10) }))).toMatchObject({ unchanged: true });
  });

  it('with backfill may be older than every revision', async () => {
    await writer.commit(snapshotOf({ 'Node/a': '1', 'Pod/x/p': '1' }, { capturedAt: time(5) }));
    const scope = { kinds: ['Node'], namespaces: null };
    await writer.commit(snapshotOf({ 'Node/z': '0' }, { capturedAt: time(1), backfill: true, scope }));
    expect(await objectsAt(reader, 1, 2)).toEqual({ 'Node/z': '0' });
    expect(await objectsAt(reader, 1, 3)).toEqual({ 'Node/a': '1', 'Pod/x/p': '1' });
    expect((await revisions.get(1, 2))?.loadedKinds).toEqual(['Node']);
  });
});

/** A small seeded random number generator: the same seed produces the same sequence. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('any history', () => {
  it.each([1, 2, 3])('of snapshots and backfills reads back as a plain model has it (seed %i)', async (seed) => {
    const pick = random(seed);
    const kinds = ['Node', 'Pod', 'Lease'];
    const states: { objects: Map<string, string>; capturedAt: number }[] = [];
    for (let step = 0; step < 25; step++) {
      const given = new Map<string, string>();
      const scope = {
        kinds: kinds.filter(() => pick(3) > 0),
        namespaces: pick(3) === 0 ? [`n${pick(2)}`] : null,
      };
      for (let count = pick(12); count > 0; count--) {
        const kind = kinds[pick(3)]!;
        const key = kind === 'Node' ? `Node/o${pick(4)}` : `${kind}/n${pick(2)}/o${pick(4)}`;
        given.set(key, String(pick(3)));
      }
      const head = states.at(-1);
      const day = pick(4) === 0 ? 1 + pick(20) : Math.max(head?.capturedAt ?? 0, 1 + pick(20));
      const older = head !== undefined && day < head.capturedAt;
      const from = older
        ? states.reduce<(typeof states)[number] | undefined>(
            (best, state) =>
              state.capturedAt <= day && (best === undefined || state.capturedAt >= best.capturedAt) ? state : best,
            undefined,
          )
        : head;
      const objects = new Map(given);
      for (const [key, content] of from?.objects ?? []) {
        const [kind, second, third] = key.split('/') as [string, string, string?];
        const inside =
          scope.kinds.includes(kind) &&
          (scope.namespaces === null || third === undefined || scope.namespaces.includes(second));
        if (!inside && !given.has(key)) objects.set(key, content);
      }
      states.push({ objects, capturedAt: day });
      if (older) states.push(head);
      const committed = await writer.commit(
        snapshotOf(Object.fromEntries(given), { scope, capturedAt: time(day), backfill: true }),
      );
      expect(committed.head).toBe(states.length);
    }
    for (const [index, { objects }] of states.entries()) {
      expect([index + 1, await objectsAt(reader, 1, index + 1)]).toEqual([index + 1, Object.fromEntries(objects)]);
    }
    for (let trial = 0; trial < 30; trial++) {
      const from = pick(states.length);
      const to = pick(states.length);
      const applied = new Map(states[from]!.objects);
      const changes = await reader.changesBetween(1, from + 1, to + 1);
      const keyOf = (key: { kind: string; namespace: string; name: string }) =>
        [key.kind, key.namespace, key.name].filter((part) => part !== '').join('/');
      for (const key of changes.deletes) expect(applied.delete(keyOf(key))).toBe(true);
      for (const upsert of changes.upserts) {
        const { content } = JSON.parse(upsert.content) as { content: string };
        expect(applied.get(keyOf(upsert))).not.toBe(content);
        applied.set(keyOf(upsert), content);
      }
      expect(Object.fromEntries(applied)).toEqual(Object.fromEntries(states[to]!.objects));
    }
  });
});

it('provides no connection to a snapshot whose sender is slow and has sent little', async () => {
  const slow = Array.from({ length: 12 }, () => controlledRows());
  const all = slow.map(({ rows }) => writer.commit(snapshotOf({}, { rows })));
  await Promise.all(slow.map(({ waiting }) => waiting));
  // The pool has 8 connections.
  const client = await database.session((lent: PoolClient) => Promise.resolve(lent));
  expect(client).toBeDefined();
  for (const { send } of slow) send(null);
  expect((await Promise.all(all)).map(({ revision }) => revision).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 12 }, (_, index) => index + 1),
  );
});
