import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestPostgres, type TestPostgres } from '../../test/support/postgres.js';
import { objectsAt, snapshotOf } from '../../test/support/snapshots.js';
import { MIGRATIONS } from '../../migrations/index.js';
import { migrate, revertLastMigration } from './migrate.js';
import { ObjectReader } from './object-reader.js';
import { connect } from './open-database.js';
import { SnapshotWriter } from './snapshot-writer.js';

let postgres: TestPostgres;
beforeAll(async () => (postgres = await startTestPostgres()));
afterAll(() => postgres.stop());

describe('the migrations', () => {
  it('create the schema that the entities describe', async () => {
    const database = await postgres.createDatabase();
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
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
