import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Dice } from '../../test/support/dice.js';
import { emptyDatabase } from '../../test/support/empty-database.js';
import { nothingFails } from '../../test/support/nothing-fails.js';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { objectsAt, snapshotOf } from '../../test/support/snapshots.js';
import { ClusterStore } from './cluster-store.js';
import { Database } from './database.js';
import { ObjectReader } from './object-reader.js';
import { connect } from './open-database.js';
import { Retention } from './retention.js';
import { RevisionStore } from './revision-store.js';
import { SnapshotWriter } from './snapshot-writer.js';
import { NulCharacter, RevisionNotFound } from './storage-error.js';

const BY = { author: 'alice', at: new Date('2026-06-01T00:00:00Z') };

let postgres: TestPostgres;
let database: Database;
let clusters: ClusterStore;
let revisions: RevisionStore;
let reader: ObjectReader;
let writer: SnapshotWriter;
let retention: Retention;

beforeAll(async () => {
  postgres = await startTestPostgres();
  database = await postgres.createDatabase();
  clusters = new ClusterStore(database);
  revisions = new RevisionStore(database);
  reader = new ObjectReader(database);
  writer = new SnapshotWriter(database);
  retention = new Retention(database);
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  await emptyDatabase(database);
});

const time = (day: number) => new Date(Date.UTC(2026, 5, day));

/**
 * Creates revisions 1 to `count`, each received on the day with its number, with one node of its own and one that is
 * always there.
 */
async function history(name: string, count: number): Promise<void> {
  for (let day = 1; day <= count; day++) {
    const objects = { 'Node/stays': '1', [`Node/n${day}`]: '1' };
    await writer.commit(snapshotOf(objects, { cluster: { name, create: true }, receivedAt: time(day) }));
  }
}

describe('clusters', () => {
  it('are created once, and keep their labels until new ones are set', async () => {
    const first = await clusters.put('a', { env: 'prod' });
    expect(first).toMatchObject({ created: true, cluster: { name: 'a', labels: { env: 'prod' }, headRevision: 0 } });
    expect(await clusters.put('a')).toEqual({ created: false, cluster: first.cluster });
    expect(await clusters.put('a', { env: 'prod' })).toEqual({ created: false, cluster: first.cluster });
    expect((await clusters.put('a', {})).cluster).toEqual({ ...first.cluster, labels: {} });
    expect(await clusters.getById(first.cluster.id)).toMatchObject({ name: 'a', labels: {} });
  });

  it('are listed by name in byte order', async () => {
    for (const name of ['b', 'a', 'B', 'a-1', 'é']) await clusters.put(name);
    expect((await clusters.list()).map(({ name }) => name)).toEqual(['B', 'a', 'a-1', 'b', 'é']);
  });

  it('may have prototype names as names and labels', async () => {
    const labels = JSON.parse('{"__proto__":"x","constructor":"y"}') as Record<string, string>;
    const { cluster } = await clusters.put('constructor', labels);
    for (const one of [cluster, await clusters.get('constructor'), (await clusters.list())[0]]) {
      expect(Object.entries(one!.labels).sort()).toEqual([
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ]);
    }
  });

  it('cannot have a NUL in their name or labels, and a lookup with a NUL finds none', async () => {
    await expect(clusters.put('a\0')).rejects.toThrow(NulCharacter);
    await expect(clusters.put('a', { key: '\0' })).rejects.toThrow(NulCharacter);
    expect(await clusters.get('a\0')).toBeUndefined();
    expect(await clusters.delete('a\0', BY)).toBeUndefined();
  });

  it('are deleted with all of their data and nothing else', async () => {
    await history('gone', 3);
    await history('stays', 2);
    expect(await clusters.delete('gone', BY)).toMatchObject({
      cluster: { name: 'gone' },
      revisions: 3,
      objectVersions: 4,
    });
    expect(await clusters.delete('gone', BY)).toBeUndefined();
    expect((await clusters.list()).map(({ name }) => name)).toEqual(['stays']);
    await expect(objectsAt(reader, 1, 3)).rejects.toThrow(RevisionNotFound);
    expect(await objectsAt(reader, 2, 2)).toEqual({ 'Node/stays': '1', 'Node/n2': '1' });
  });
});

describe('revisions', () => {
  it('are listed newest first, page by page', async () => {
    await history('a', 5);
    const first = await revisions.list(1, { limit: 2 });
    expect(first.items.map(({ number }) => number)).toEqual([5, 4]);
    const second = await revisions.list(1, { limit: 2, before: first.next! });
    expect(second.items.map(({ number }) => number)).toEqual([3, 2]);
    const last = await revisions.list(1, { limit: 2, before: second.next! });
    expect(last).toMatchObject({ items: [{ number: 1 }], next: null });
    expect(await revisions.list(1, { limit: 5 })).toMatchObject({ next: null });
  });

  it.each([0, -1, 1.5, 2, 2 ** 31, 1e300, NaN])('cannot have the number %d', async (number) => {
    await history('a', 1);
    expect(await revisions.get(1, number)).toBeUndefined();
    expect(await revisions.findings(1, number)).toBeUndefined();
  });

  it('keep the counts and findings of ingest verbatim, including lone surrogates', async () => {
    const stats = { objects: 3, __proto__: 1 };
    const findings = [{ b: '\ud800', a: 'nul \0' }];
    const scope = { kinds: ['Node'], namespaces: ['x'] };
    const describe = () => ({ scope, stats, findings, kubernetesVersion: null });
    await writer.commit({ ...snapshotOf({}, { source: 'kubectl', author: 'me' }), describe });
    expect(await revisions.get(1, 1)).toMatchObject({ stats, scope, source: 'kubectl', author: 'me' });
    expect(await revisions.findings(1, 1)).toEqual(findings);
  });

  it('are planned once for each connection, not each time that one is read', async () => {
    await history('a', 1);
    const one = await connect(database.url, { poolSize: 2 }, () => undefined);
    const alone = new RevisionStore(one);
    for (let read = 1; read <= 3; read++) expect(await alone.get(1, 1)).toMatchObject({ number: 1 });
    for (let read = 1; read <= 2; read++) expect(await alone.head(1)).toMatchObject({ number: 1 });
    await alone.between(1, 1, 2);
    const plans = await one.query(
      `select name, (generic_plans + custom_plans)::integer as runs from pg_prepared_statements
       where name like 'revision%' order by name`,
    );
    expect(plans).toEqual([
      { name: 'revision', runs: 3 },
      { name: 'revision-of-head', runs: 2 },
      { name: 'revisions-between', runs: 1 },
    ]);
    await one.dataSource.destroy();
  });

  it('return the age of every head', async () => {
    await history('b', 2);
    await history('a', 1);
    await clusters.put('empty');
    expect(await revisions.heads()).toEqual([
      { clusterId: expect.any(Number), clusterName: 'a', revision: 1, capturedAt: time(1) },
      { clusterId: 1, clusterName: 'b', revision: 2, capturedAt: time(2) },
    ]);
  });
});

describe('objects', () => {
  it('of an unknown revision are an error, not an empty cluster', async () => {
    await history('a', 1);
    for (const revision of [0, 2, 2 ** 40]) {
      await expect(objectsAt(reader, 1, revision)).rejects.toThrow(RevisionNotFound);
      await expect(reader.get(1, revision, { kind: 'Node', namespace: '', name: 'stays' })).rejects.toThrow(
        RevisionNotFound,
      );
      await expect(reader.changesBetween(1, 1, revision)).rejects.toThrow(RevisionNotFound);
    }
  });

  it('can be read by kind, and a reader that leaves early releases its connection', async () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`Pod/x/p${index}`, '1']));
    await writer.commit(snapshotOf({ ...many, 'Node/a': '1' }));
    const kinds: string[] = [];
    for await (const batch of reader.stream(1, 1, ['Node'])) kinds.push(...batch.map(({ kind }) => kind));
    expect(kinds).toEqual(['Node']);
    // The pool has 8 connections: if they were not released, the ninth reader would wait forever.
    for (let times = 0; times < 10; times++) {
      for await (const batch of reader.stream(1, 1)) {
        expect(batch.length).toBeLessThan(9_000);
        break;
      }
    }
    expect(Object.keys(await objectsAt(reader, 1, 1))).toHaveLength(9_001);
  });

  it('are those of the revision, and differ as revisions do, wherever in a long history these are', async () => {
    const HEAD = 200_000;
    const LENGTHS = [1, 2, 3, 4, 9, 10, 11, 31, 32, 100, 316, 317, 1_000, 1_001, 9_999, 10_000, 100_000];
    const dice = new Dice(7);
    const versions: { name: string; from: number; to: number | null }[] = [];
    for (let node = 0; node < 60; node++) {
      for (let from = 1 + dice.below(50_000); from <= HEAD;) {
        const to = from + dice.one(LENGTHS);
        versions.push({ name: `n${node}`, from, to: to > HEAD ? null : to });
        // Some are followed at once by the next version.
        from = to + (dice.chance(50) ? 0 : dice.one(LENGTHS));
      }
    }
    const asked = [HEAD, HEAD - 1_999, HEAD - 2_001, 2, 60_000, 60_001, 100_000, 101_999];
    // Where a version begins, and where one ends.
    asked.push(versions[5]!.from, versions[5]!.to! - 1, versions[5]!.to!, versions[90]!.from);
    await writer.commit(snapshotOf({}));
    await database.query('update clusters set head_revision = $1 where id = 1', [HEAD]);
    await database.query(
      `insert into revisions select (jsonb_populate_record(r, jsonb_build_object('number', n))).*
       from revisions r, unnest($1::integer[]) n on conflict do nothing`,
      [asked],
    );
    await database.query(
      `insert into object_versions (cluster_id, kind, namespace, name, hash, content, valid_from, valid_to)
       select 1, 'Node', '', name, decode(md5("from"::text), 'hex'), jsonb_build_object('content', "from"::text), "from", "to"
       from jsonb_to_recordset($1) v (name text, "from" integer, "to" integer)`,
      [JSON.stringify(versions)],
    );
    const expected = (revision: number): Record<string, string> =>
      Object.fromEntries(
        versions
          .filter(({ from, to }) => from <= revision && (to === null || to > revision))
          .map(({ name, from }) => [`Node/${name}`, String(from)]),
      );
    for (const revision of asked) expect(await objectsAt(reader, 1, revision)).toEqual(expected(revision));
    for (const from of asked) {
      for (const to of asked) {
        const { upserts, deletes } = await reader.changesBetween(1, from, to);
        const after = new Map(Object.entries(expected(from)));
        for (const { name } of deletes) expect(after.delete(`Node/${name}`)).toBe(true);
        for (const { name, content } of upserts) {
          const { content: text } = JSON.parse(content) as { content: string };
          expect(after.get(`Node/${name}`)).not.toBe(text);
          after.set(`Node/${name}`, text);
        }
        expect(Object.fromEntries(after)).toEqual(expected(to));
      }
    }
  });

  it('are read completely while retention removes their revision', async () => {
    const many = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`Pod/x/p${index}`, '1']));
    await writer.commit(snapshotOf(many));
    await writer.commit(snapshotOf({}));
    let count = 0;
    for await (const batch of reader.stream(1, 1)) {
      if (count === 0) expect(await retention.prune(1, { count: 1 })).toMatchObject({ objectVersions: 9_000 });
      count += batch.length;
    }
    expect(count).toBe(9_000);
    await expect(objectsAt(reader, 1, 1)).rejects.toThrow(RevisionNotFound);
  });
});

describe('retention', () => {
  it.each([
    ['by count', { count: 2 }, 4],
    ['by count, never the head', { count: 0 }, 5],
    ['by age: what was received before', { receivedBefore: time(3) }, 3],
    ['by age, never the head', { receivedBefore: time(30) }, 5],
    ['by whichever asks for more', { count: 4, receivedBefore: time(4) }, 4],
    ['not at all without a limit', {}, 1],
  ])('removes revisions %s, and reports them', async (_, limits, oldest) => {
    await history('a', 5);
    expect(await retention.prune(1, limits)).toEqual({
      clusterId: 1,
      clusterName: 'a',
      revisions: oldest - 1,
      objectVersions: oldest - 1,
      oldestRevision: oldest,
    });
    for (let revision = 1; revision <= 5; revision++) {
      const read = objectsAt(reader, 1, revision);
      if (revision < oldest) await expect(read).rejects.toThrow(RevisionNotFound);
      else expect(await read).toEqual({ 'Node/stays': '1', [`Node/n${revision}`]: '1' });
    }
    expect(await writer.commit(snapshotOf({}, { cluster: { id: 1 }, receivedAt: time(9) }))).toMatchObject({
      revision: 6,
    });
  });

  it('processes every cluster and reports those that lost revisions', async () => {
    await history('a', 3);
    await history('b', 1);
    await clusters.put('empty');
    expect(await retention.pruneAll({ count: 2 }, nothingFails)).toMatchObject([{ clusterName: 'a', revisions: 1 }]);
    expect(await retention.prune(3, { count: 1 })).toBeUndefined();
    expect(await retention.prune(99, { count: 1 })).toBeUndefined();
  });
});
