import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordStatements } from '../../../test/support/partitioned-clusters.js';
import { startTestPostgres, type TestPostgres } from '../../../test/support/postgres.js';
import { inOneBatch, objectRow, snapshotOf } from '../../../test/support/snapshots.js';
import { changeOf } from '../../../test/support/taint-changes.js';
import { SnapshotWriter } from '../snapshot-writer.js';
import { TaintChangeStore } from './taint-change-store.js';

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres({ plain: true });
});
afterAll(() => postgres.stop());

describe('a change of taints in a cluster of which Postgres has no statistics', () => {
  it('finds the newest versions of its nodes by their keys, and each once', async () => {
    const database = await postgres.createDatabase();
    await database.query('alter table object_versions set (autovacuum_enabled = off)');
    const { clusterId } = await new SnapshotWriter(database).commit(
      snapshotOf({}, { rows: inOneBatch([objectRow('Node//a', '{}')]) }),
    );
    await database.query(
      `insert into object_versions (cluster_id, kind, namespace, name, hash, valid_from, content)
       select $1, 'Node', '', 'node-' || n, '', 1, '' from generate_series(1, 5000) n`,
      [clusterId],
    );
    const store = new TaintChangeStore(database);
    for (let head = 1; head <= 5; head += 1) await store.commit(changeOf(clusterId, head));
    const recorded = recordStatements();
    try {
      await store.commit(changeOf(clusterId, 6));
      recorded.stop();
      const [write] = recorded.statements().filter(({ text }) => text.includes('lateral'));
      const [plan] = await database.query<object>(`explain (format json) ${write!.text}`, write!.values);
      const scans = [...JSON.stringify(plan).matchAll(/"Index Name":"(object_versions_\w+)".*?"Index Cond":"(.*?)"/g)];
      expect(scans.map(([, index, condition]) => [index, condition!.includes('(name = ')])).toEqual(
        scans.map(() => ['object_versions_pk', true]),
      );
      expect(scans).not.toEqual([]);
    } finally {
      recorded.stop();
    }
    const versions = await database.query(
      `select valid_from as "from", valid_to as "to", (content::json->'metadata'->'labels'->>'head')::integer as head
       from object_versions where name = 'a' order by valid_from`,
    );
    expect(versions).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((from) => ({
        from,
        to: from === 7 ? null : from + 1,
        head: from === 1 ? null : from - 1,
      })),
    );
    // As it was before the first change.
    expect(await database.query('select valid_from as "from", valid_to as "to", content from observed_nodes')).toEqual([
      { from: 2, to: null, content: expect.stringContaining('"content":"{}"') },
    ]);
  });
});

describe('a change of taints on many nodes', () => {
  it('keeps what was observed and the resource versions of all, and finds each by its key', async () => {
    const database = await postgres.createDatabase();
    const names = Array.from({ length: 400 }, (_, index) => `node-${index}`);
    const { clusterId } = await new SnapshotWriter(database).commit(
      snapshotOf({}, { rows: inOneBatch(names.map((name) => objectRow(`Node//${name}`, `{"of":"${name}"}`))) }),
    );
    await database.query(`update object_versions set resource_version = 'at-' || name`);
    const store = new TaintChangeStore(database);
    await store.commit(changeOf(clusterId, 1, { names }));
    await database.query('analyze');
    const recorded = recordStatements();
    try {
      await store.commit(changeOf(clusterId, 2, { names }));
      recorded.stop();
      const [write] = recorded.statements().filter(({ text }) => text.includes('lateral'));
      const plan = JSON.stringify(await database.query<object>(`explain (format json) ${write!.text}`, write!.values));
      expect(plan).toMatch(/"Relation Name":"observed_nodes","Alias":"o"[^{}]*"Index Cond":"[^"]*\(node = v/);
      expect(plan).not.toMatch(/Hash Cond|Merge Cond|Join Filter/);
    } finally {
      recorded.stop();
    }
    const versions = await database.query(
      `select name, resource_version as version, content::json->'metadata'->'labels'->>'head' as head
       from object_versions where valid_to is null order by name`,
    );
    expect(versions).toEqual([...names].sort().map((name) => ({ name, version: `at-${name}`, head: '2' })));
    const observed = await database.query(
      `select node, valid_from as "from", content::json->>'content' as content from observed_nodes order by node`,
    );
    expect(observed).toEqual([...names].sort().map((node) => ({ node, from: 2, content: `{"of":"${node}"}` })));
  });
});
