import pg from 'pg';
import { TABLES_OF_CLUSTERS, TRIGGERS_FOR_FORMER_VERSIONS } from '../../src/storage/distribution.js';
import { connect } from '../../src/storage/open-database.js';

/** Hash partitions of each table. */
const PARTITIONS = 4;

/** Migrates an empty database, and partitions the tables of clusters in it: a statement that is sent to one node of a distributed Postgres reads one partition. */
export async function partitionByCluster(url: string): Promise<void> {
  const database = await connect(url, { poolSize: 2 }, () => undefined);
  await database.dataSource.destroy();
  await connected(url, async (client) => {
    const tables = Object.keys(TABLES_OF_CLUSTERS);
    const { rows: keys } = await client.query<{ of: string; name: string; definition: string }>(
      `select conrelid::regclass::text as of, conname as name, pg_get_constraintdef(oid) as definition
       from pg_constraint
       where contype = 'f' and (conrelid = any($1::text[]::regclass[]) or confrelid = any($1::text[]::regclass[]))`,
      [tables],
    );
    const { rows: triggers } = await client.query<{ name: string; definition: string }>(
      `select tgname as name, pg_get_triggerdef(oid) as definition from pg_trigger
       where not tgisinternal and tgrelid = any($1::text[]::regclass[])`,
      [tables],
    );
    await client.query('begin');
    for (const { of, name } of keys) await client.query(`alter table ${of} drop constraint ${name}`);
    await client.query('alter table clusters drop constraint clusters_name_unique');
    for (const [table, column] of Object.entries(TABLES_OF_CLUSTERS)) {
      await client.query(`alter table ${table} rename to ${table}_plain`);
      await client.query(`create table ${table} (like ${table}_plain including all) partition by hash (${column})`);
      await client.query(`drop table ${table}_plain cascade`);
      for (let part = 0; part < PARTITIONS; part++) {
        await client.query(
          `create table ${table}_${part} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${part})`,
        );
      }
    }
    for (const { name, definition } of triggers) {
      if (!TRIGGERS_FOR_FORMER_VERSIONS.includes(name)) await client.query(definition);
    }
    for (const { of, name, definition } of keys) {
      await client.query(`alter table ${of} add constraint ${name} ${definition}`);
    }
    await client.query('commit');
  });
}

/** Provides a connection, which is closed afterwards. */
export async function connected<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
