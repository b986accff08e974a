import type { ClientBase } from 'pg';
import type { Database } from './database.js';
import { TABLES_OF_ALL, TABLES_OF_CLUSTERS, TRIGGERS_FOR_FORMER_VERSIONS } from './distribution.js';
import { DatabaseNotReady, MIGRATION_LOCK } from './migrate.js';

/** The most bytes that are moved to the workers while nothing can be written. */
const MOST_BYTES = 20 * 1024 ** 3;

/**
 * Triggers that ask other tables at the end of a transaction, when each node already does so for itself. Without them, roles alone keep
 * the service from removing what was stored of a change; the trail says what is missing.
 */
const ACROSS_TABLES = { taint_changes: 'taint_changes_not_removed', node_intents: 'node_intents_not_removed' };

/** Each name of a cluster is in the directory, which is where it is unique. */
const NAME_OF_CLUSTER = 'clusters_name_unique';

/** The migration that a version has to know from now on: see `NameClusters`. */
const NEEDED = 'NameClusters1782000000150';

interface ForeignKey {
  readonly of: string;
  readonly to: string;
  readonly name: string;
  readonly definition: string;
}

/**
 * Distributes a migrated database by cluster over the workers of Citus, all or nothing. Tables that are distributed already stay as they
 * are, so it can be run again, also after a migration that adds one.
 * @returns the tables that were distributed
 * @throws {DatabaseNotReady} with what the operator has to do
 */
export async function distribute(database: Database): Promise<readonly string[]> {
  return database.transaction(async (client) => {
    await client.query('set local statement_timeout = 0');
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await checkCitus(client);
    const { rows: known } = await client.query<{ name: string }>(
      'select logicalrelid::regclass::text as name from pg_dist_partition',
    );
    const there = new Set(known.map(({ name }) => name));
    const references = TABLES_OF_ALL.filter((table) => !there.has(table));
    const tables = Object.entries(TABLES_OF_CLUSTERS).filter(([table]) => !there.has(table));
    const todo = [...references, ...tables.map(([table]) => table)];
    if (todo.length === 0) return [];
    await checkSize(client, todo);
    const keys = await foreignKeys(client, todo);
    await client.query("set local citus.multi_shard_modify_mode to 'sequential'");
    await client.query('set local citus.enable_unsafe_triggers to on');
    for (const { of, name } of keys) await client.query(`alter table ${of} drop constraint ${name}`);
    if (!there.has('clusters')) {
      for (const trigger of TRIGGERS_FOR_FORMER_VERSIONS) {
        await client.query(`drop trigger if exists ${trigger} on clusters`);
      }
      await client.query(`alter table clusters drop constraint if exists ${NAME_OF_CLUSTER}`);
      for (const [table, trigger] of Object.entries(ACROSS_TABLES)) {
        await client.query(`drop trigger if exists ${trigger} on ${table}`);
      }
    }
    for (const table of references) await client.query('select create_reference_table($1)', [table]);
    for (const [table, column] of tables) {
      await client.query('select create_distributed_table($1, $2, colocate_with => $3)', [
        table,
        column,
        table === 'clusters' ? 'default' : 'clusters',
      ]);
    }
    for (const { of, to, name, definition } of keys) {
      // A row that every node has cannot depend on one that a single node has.
      if (!TABLES_OF_ALL.includes(of) || TABLES_OF_ALL.includes(to)) {
        await client.query(`alter table ${of} add constraint ${name} ${definition}`);
      }
    }
    await client.query('insert into schema_requirements (migration) values ($1) on conflict do nothing', [NEEDED]);
    return todo;
  });
}

async function checkCitus(client: ClientBase): Promise<void> {
  const { rows: extensions } = await client.query("select from pg_extension where extname = 'citus'");
  if (extensions.length === 0) {
    throw new DatabaseNotReady(
      'The database has no extension citus. Run `create extension citus` in it, on the coordinator and on each worker, ' +
        'or leave out --citus: the service runs on a plain Postgres, too.',
    );
  }
  const { rows } = await client.query<{ workers: number; coordinator: boolean }>(
    `select count(*) filter (where groupid <> 0 and shouldhaveshards)::integer as workers,
            coalesce(bool_or(groupid = 0), false) as coordinator
     from pg_dist_node where noderole = 'primary' and isactive`,
  );
  const { workers, coordinator } = rows[0]!;
  if (!coordinator) {
    throw new DatabaseNotReady(
      "This database does not know its own address. Run `select citus_set_coordinator_host('...')` on the coordinator; " +
        'if this is a worker, use the URL of the coordinator.',
    );
  }
  if (workers === 0) {
    throw new DatabaseNotReady("The coordinator has no workers. Run `select citus_add_node('...', 5432)` for each.");
  }
}

async function checkSize(client: ClientBase, tables: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ bytes: number }>(
    'select sum(pg_total_relation_size(t::regclass))::float8 as bytes from unnest($1::text[]) t',
    [tables],
  );
  const { bytes } = rows[0]!;
  if (bytes <= MOST_BYTES) return;
  const gigabytes = (size: number): string => `${Math.ceil(size / 1024 ** 3)} GB`;
  throw new DatabaseNotReady(
    `The tables hold ${gigabytes(bytes)}, and nothing could be written while they are moved to the workers: ` +
      `the most is ${gigabytes(MOST_BYTES)}. Distribute an empty database and load a dump of the data into it (docs/citus.md).`,
  );
}

/** Those of and to the tables. */
async function foreignKeys(client: ClientBase, tables: readonly string[]): Promise<readonly ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select conrelid::regclass::text as of, confrelid::regclass::text as to, conname as name,
            pg_get_constraintdef(oid) as definition
     from pg_constraint
     where contype = 'f' and (conrelid = any($1::text[]::regclass[]) or confrelid = any($1::text[]::regclass[]))`,
    [tables],
  );
  return rows;
}
