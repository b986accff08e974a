import { Database } from './database.js';

/** The advisory lock that serializes migrations of a database: "kubeplac" as a number. */
export const MIGRATION_LOCK = '7743376386410897763';

/**
 * The database is reachable but does not have the schema that the service needs. The message tells the operator what to do.
 */
export class DatabaseNotReady extends Error {
  override readonly name = 'DatabaseNotReady';
}

/**
 * Runs the pending migrations, each in its own transaction. If several replicas start at the same time, they wait for each
 * other. @returns the names of the applied migrations
 */
export async function migrate(database: Database): Promise<readonly string[]> {
  return underMigrationLock(database, async () => {
    const applied = await database.dataSource.runMigrations({ transaction: 'each' });
    return applied.map((migration) => migration.name);
  });
}

/** Reverts the newest migration. */
export async function revertLastMigration(database: Database): Promise<void> {
  await underMigrationLock(database, () => database.dataSource.undoLastMigration({ transaction: 'each' }));
}

/** Whether the role of these connections owns the tables, or may create them if there are none yet. */
export async function ownsTables(database: Database): Promise<boolean> {
  const [row] = await database.query<{ owns: boolean | null; may: boolean | null }>(
    `select (select pg_has_role(relowner, 'USAGE') from pg_class where oid = to_regclass('schema_migrations')) as owns,
       has_schema_privilege(current_schema(), 'CREATE') as may`,
  );
  return row!.owns ?? row!.may ?? false;
}

/**
 * Rejects a schema of a newer version, whose tables this version could damage. What only adds does not matter: the version
 * before runs beside the new one during an upgrade, and comes back after it.
 * @throws {DatabaseNotReady} if a migration was applied that this version has to know, and does not
 */
export async function refuseNewerSchema(database: Database): Promise<void> {
  const known = new Set(database.dataSource.migrations.map(({ name }) => name));
  const required = await requiredMigrations(database);
  const unknown = (await appliedMigrations(database)).filter(
    (name) => !known.has(name) && required?.has(name) !== false,
  );
  if (unknown.length === 0) return;
  throw new DatabaseNotReady(
    `The database was migrated by a newer version of the service: this one does not know ${unknown.join(', ')}. ` +
      'Start that version, or restore a backup from before the upgrade.',
  );
}

/**
 * Checks, for a role that owns no table, that the owner has migrated the tables and granted access to them.
 * @throws {DatabaseNotReady} if not
 */
export async function checkMigrated(database: Database): Promise<void> {
  const tables = ['schema_migrations', ...database.dataSource.entityMetadatas.map(({ tableName }) => tableName)];
  const closed = await database.query<{ name: string }>(
    `select t as name from unnest($1::text[]) t
     where not coalesce(has_table_privilege(to_regclass(t), 'SELECT'), false)
       or t <> 'schema_migrations' and not has_table_privilege(to_regclass(t), 'INSERT')`,
    [tables],
  );
  const [me] = await database.query<{ role: string }>('select current_user as role');
  const missing = closed.some(({ name }) => name === 'schema_migrations') ? [] : await missingMigrations(database);
  if (closed.length === 0 && missing.length === 0) return;
  const faults = [
    ...(missing.length === 0 ? [] : [`it lacks the migrations ${missing.join(', ')}`]),
    ...(closed.length === 0 ? [] : [`the role ${me!.role} neither owns ${named(closed)} nor has access to them`]),
  ];
  throw new DatabaseNotReady(
    `The database is not ready for this version of the service: ${faults.join('; ')}.\n` +
      'Run `npm run migrate` first, with the role that owns the tables in MIGRATION_DATABASE_URL and the one of the service in DATABASE_URL.',
  );
}

const named = (tables: readonly { readonly name: string }[]): string =>
  tables.length > 3 ? `${tables.length} of its tables` : tables.map(({ name }) => name).join(', ');

async function missingMigrations(database: Database): Promise<string[]> {
  const applied = new Set(await appliedMigrations(database));
  return database.dataSource.migrations.flatMap(({ name = '' }) => (applied.has(name) ? [] : [name]));
}

/** The names of the migrations that a version has to know; undefined if the database does not say. */
async function requiredMigrations(database: Database): Promise<ReadonlySet<string> | undefined> {
  if (!(await mayRead(database, 'schema_requirements'))) return undefined;
  const rows = await database.query<{ migration: string }>('select migration from schema_requirements');
  return new Set(rows.map(({ migration }) => migration));
}

/** The names of the applied migrations; empty if the table of migrations does not exist, or this role may not read it. */
async function appliedMigrations(database: Database): Promise<string[]> {
  if (!(await mayRead(database, 'schema_migrations'))) return [];
  const rows = await database.query<{ name: string }>('select name from schema_migrations order by id');
  return rows.map(({ name }) => name);
}

/** Whether the table exists, and this role may read it. */
async function mayRead(database: Database, table: string): Promise<boolean> {
  const [row] = await database.query<{ readable: boolean }>(
    `select coalesce(has_table_privilege(to_regclass($1), 'SELECT'), false) as readable`,
    [table],
  );
  return row!.readable;
}

async function underMigrationLock<Result>(database: Database, work: () => Promise<Result>): Promise<Result> {
  return database.session(async (client) => {
    await client.query('set statement_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    try {
      return await work();
    } finally {
      await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      await client.query('reset statement_timeout');
    }
  });
}
