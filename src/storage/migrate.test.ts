import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { objectsAt, snapshotOf } from '../../test/support/snapshots.js';
import { MIGRATIONS } from '../../migrations/index.js';
import { ClusterStore } from './cluster-store.js';
import { TABLES_IN_ONE_PLACE, TABLES_OF_ALL, TABLES_OF_CLUSTERS } from './distribution.js';
import { migrate, revertLastMigration } from './migrate.js';
import { ObjectReader } from './object-reader.js';
import { connect } from './open-database.js';
import { SnapshotWriter } from './snapshot-writer.js';
import { TrailCatalogue } from './taint-trail/trail-catalogue.js';

let postgres: TestPostgres;
beforeAll(async () => (postgres = await startTestPostgres({ plain: true })));
afterAll(() => postgres.stop());

describe('the migrations', () => {
  it('create the schema that the entities describe', async () => {
    const database = await postgres.createDatabase();
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('say of each table with the id of a cluster how it is distributed, with the id in all of its keys', async () => {
    const database = await postgres.createDatabase();
    const tables = await database.query<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema = 'public' and column_name = 'cluster_id' order by table_name`,
    );
    const known = [...Object.keys(TABLES_OF_CLUSTERS), ...TABLES_OF_ALL, ...TABLES_IN_ONE_PLACE];
    expect(tables.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual([]);
    const keys = await database.query<{ table: string; key: string }>(
      `select c.relname as "table", k.relname as key from pg_index i
       join pg_class c on c.oid = i.indrelid join pg_class k on k.oid = i.indexrelid
       join pg_attribute a on a.attrelid = c.oid and a.attname = ($1::json ->> c.relname)
       where i.indisunique and c.relnamespace = 'public'::regnamespace and not a.attnum = any(i.indkey)`,
      [JSON.stringify(TABLES_OF_CLUSTERS)],
    );
    // This one is dropped where the tables are distributed: the directory has the names.
    expect(keys).toEqual([{ table: 'clusters', key: 'clusters_name_unique' }]);
  });

  it('can be reverted one by one and applied again with existing data', async () => {
    const database = await postgres.createDatabase();
    const writer = new SnapshotWriter(database);
    await writer.commit(snapshotOf({ 'Node/a': '1' }));
    await writer.commit(snapshotOf({ 'Node/a': '2' }));
    // Reverting these removes the admission records and the trail, and leaves the clusters unchanged.
    const made = MIGRATIONS.findIndex(({ name }) => name.startsWith('CreateObjectVersions'));
    const later = MIGRATIONS.length - made - 1;
    for (let count = 0; count < later; count++) await revertLastMigration(database);
    expect(await objectsAt(new ObjectReader(database), 1, 2)).toEqual({ 'Node/a': '2' });
    // Reverting this removes the objects and, because they would be empty, the revisions; the cluster remains.
    await revertLastMigration(database);
    expect(await database.query('select name, head_revision from clusters')).toEqual([
      { name: 'test', head_revision: 0 },
    ]);
    expect(await migrate(database)).toEqual(MIGRATIONS.slice(made).map(({ name }) => name));
    expect(await writer.commit(snapshotOf({ 'Node/b': '1' }))).toMatchObject({ revision: 1, clusterCreated: false });
    expect(await objectsAt(new ObjectReader(database), 1, 1)).toEqual({ 'Node/b': '1' });
    for (let count = MIGRATIONS.length; count > 0; count--) await revertLastMigration(database);
    const tables = await database.query(`select tablename from pg_tables where schemaname = 'public'`);
    expect(tables).toEqual([{ tablename: 'schema_migrations' }]);
    expect(await migrate(database)).toEqual(MIGRATIONS.map(({ name }) => name));
  });

  it('name the clusters that there are, and those that the version before creates and removes', async () => {
    const database = await postgres.createDatabase({ poolSize: 2 });
    const named = MIGRATIONS.findIndex(({ name }) => name.startsWith('NameClusters'));
    for (let count = MIGRATIONS.length; count > named; count--) await revertLastMigration(database);
    const record = (id: number, name: string, kind: string) =>
      `insert into taint_trail (cluster_id, sequence, cluster_name, recorded_at, kind, happened_at, taint_keys, effects, hash, content)
       values (${id}, 1, '${name}', now(), '${kind}', now(), '{}', '{}', '', '')`;
    await database.query(`insert into clusters (name) values ('old'), ('removed'), ('left nothing')`);
    await database.query(`${record(1, 'old', 'change')}; ${record(2, 'removed', 'closed')}`);
    await database.query(`delete from clusters where name in ('removed', 'left nothing')`);
    await migrate(database);
    const clusters = new ClusterStore(database);
    expect(await clusters.get('old')).toMatchObject({ id: 1 });
    expect((await new TrailCatalogue(database).named('removed')).map(({ clusterId }) => clusterId)).toEqual([2]);
    // Both versions draw ids, each from its own sequence, and find what the other one made.
    expect(await clusters.put('new')).toMatchObject({ created: true, cluster: { id: 4 } });
    const put = `insert into clusters (name) values ($1) on conflict (name) do nothing returning id::int as id`;
    expect(await database.query(put, ['by the version before'])).toEqual([{ id: 5 }]);
    expect(await database.query(put, ['new'])).toEqual([]);
    expect(await clusters.get('by the version before')).toMatchObject({ id: 5 });
    expect(await clusters.put('by the version before')).toMatchObject({ created: false, cluster: { id: 5 } });
    await database.query(`delete from clusters where name = 'by the version before'`);
    expect(await clusters.get('by the version before')).toBeUndefined();
    expect(await clusters.put('by the version before')).toMatchObject({ created: true });
    // The version before creates one whose name was not given free.
    await database.query(record(1, 'old', 'closed').replace('(1, 1,', '(1, 2,'));
    await database.query(`delete from clusters where name = 'old'`);
    await database.query(`update cluster_names set removed = false where id = 1`);
    const [again] = await database.query<{ id: number }>(put, ['old']);
    expect(again!.id).toBeGreaterThan(5);
    expect(await clusters.get('old')).toMatchObject({ id: again!.id });
    // Back to the version before: no id is given again.
    for (let count = MIGRATIONS.length; count > named; count--) await revertLastMigration(database);
    const [later] = await database.query<{ id: number }>(put, ['later']);
    expect(later!.id).toBeGreaterThan(again!.id);
  });

  it('of a newer version leave this one in working order, unless it has to know them', async () => {
    const url = await postgres.createEmptyDatabase();
    const opened = async () => connect(url, { poolSize: 2 }, () => undefined);
    const database = await opened();
    await database.query(
      `insert into schema_migrations (timestamp, name) values (1999000000000, 'AddLater1999000000000')`,
    );
    const again = await opened();
    expect(await migrate(again)).toEqual([]);
    await again.dataSource.destroy();
    await database.query(`insert into schema_requirements values ('AddLater1999000000000')`);
    await expect(opened()).rejects.toThrow('this one does not know AddLater1999000000000');
    await database.query('drop table schema_requirements');
    await expect(opened()).rejects.toThrow('this one does not know AddLater1999000000000');
    await database.dataSource.destroy();
  });

  it('run once if several replicas start at the same time', async () => {
    const url = await postgres.createEmptyDatabase();
    const messages: unknown[] = [];
    const log = (_level: string, _message: string, details?: object) => messages.push(details);
    const replicas = await Promise.all([1, 2, 3].map(() => connect(url, { poolSize: 2 }, log)));
    expect(messages).toEqual([{ migrations: MIGRATIONS.map(({ name }) => name) }]);
    await Promise.all(replicas.map(({ dataSource }) => dataSource.destroy()));
  });
});
