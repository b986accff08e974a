import { execFile } from 'node:child_process';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Database } from '../../src/storage/database.js';
import { findBinaries } from '../../src/storage/embedded/postgres-binaries.js';
import { EmbeddedPostgres } from '../../src/storage/embedded-postgres.js';
import { connect, type DatabaseSettings } from '../../src/storage/open-database.js';
import { type CitusDatabase, createCitusDatabase } from './citus-database.js';

const run = promisify(execFile);
const silent = () => undefined;

/** A real, empty Postgres for one test file, in a temporary folder. */
export interface TestPostgres {
  readonly server: EmbeddedPostgres;
  /** A new, empty database of the server, migrated. It is closed with the server. */
  createDatabase(settings?: Partial<DatabaseSettings>): Promise<Database>;
  /** A new, empty database of the server, not migrated unless it is distributed: its address. */
  createEmptyDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** A coordinator of Citus on which the databases of tests are created, in the place of the server of each test file. */
const COORDINATOR = process.env['TEST_DATABASE_URL'];

/** Whether the databases of tests are distributed by cluster. */
export const IS_DISTRIBUTED = COORDINATOR !== undefined;

/**
 * Starts a server in about 0.2 s: its folder is a copy of one that was created once on this machine.
 * @param plain its databases are its own also where those of other tests are distributed
 */
export async function startTestPostgres({ plain = false } = {}): Promise<TestPostgres> {
  const folder = await copyOfDataFolder();
  const server = await EmbeddedPostgres.start({ dataDir: folder, log: silent, durable: false });
  const opened: Database[] = [];
  const distributed: CitusDatabase[] = [];
  let databases = 0;

  const createEmptyDatabase = async () => {
    if (COORDINATOR !== undefined && !plain) {
      const database = await createCitusDatabase(COORDINATOR);
      distributed.push(database);
      return database.url;
    }
    const name = `test_${++databases}`;
    const client = new pg.Client(server.url);
    await client.connect();
    await client.query(`create database ${name} strategy file_copy`);
    await client.end();
    return server.urlOf(name);
  };
  return {
    server,
    createEmptyDatabase,
    createDatabase: async (settings = {}) => {
      const database = await connect(await createEmptyDatabase(), { poolSize: 8, ...settings }, silent);
      opened.push(database);
      return database;
    },
    stop: async () => {
      await Promise.all(
        opened.filter(({ dataSource }) => dataSource.isInitialized).map(({ dataSource }) => dataSource.destroy()),
      );
      for (const database of distributed) await database.drop();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** How many statements of the database wait for a lock, on whichever node. */
export const STATEMENTS_WAITING = `
  select count(*)::integer as count from ${IS_DISTRIBUTED ? 'citus_stat_activity' : 'pg_stat_activity'}
  where datname = current_database() and wait_event_type = 'Lock'`;

/** Resolves when a statement of the database waits for a lock, on whichever node. */
export async function aStatementWaits(database: Database): Promise<void> {
  while ((await database.query<{ count: number }>(STATEMENTS_WAITING))[0]!.count === 0);
}

/** A separate data folder on which a server has been started before. */
export async function copyOfDataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kube-placement-test-'));
  await run('cp', ['-a', `${await template()}/.`, folder]);
  return folder;
}

/** A data folder of this Postgres version that was started once; the first test creates it. */
async function template(): Promise<string> {
  const { version } = await findBinaries();
  const path = join(tmpdir(), `kube-placement-test-template-${version}-${process.getuid?.() ?? 0}`);
  if ((await stat(path).catch(() => undefined)) !== undefined) return path;
  const folder = await mkdtemp(join(tmpdir(), 'kube-placement-test-template-'));
  const server = await EmbeddedPostgres.start({ dataDir: folder, log: silent, durable: false });
  await server.stop();
  await rename(folder, path).catch(async (error: unknown) => {
    // Another worker was faster: use its folder.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    await rm(folder, { recursive: true, force: true });
  });
  return path;
}
