import { Database } from './database.js';

/** The advisory lock under which one process at a time migrates a database: "kubeplac" as a number. */
const MIGRATION_LOCK = '7743376386410897763';

/**
 * Runs the migrations that are missing, each in a transaction of its own. Several replicas that start at once wait for
 * each other. @returns the names of those that ran
 */
export async function migrate(database: Database): Promise<readonly string[]> {
  return underMigrationLock(database, async () => {
    const applied = await database.dataSource.runMigrations({ transaction: 'each' });
    return applied.map((migration) => migration.name);
  });
}

/** Takes back the newest migration. */
export async function revertLastMigration(database: Database): Promise<void> {
  await underMigrationLock(database, () => database.dataSource.undoLastMigration({ transaction: 'each' }));
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
