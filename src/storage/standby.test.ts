import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copyOfDataFolder } from '../../test/support/postgres.js';
import { snapshotOf, objectsAt } from '../../test/support/snapshots.js';
import { sql } from '../../test/support/sql.js';
import type { Database } from './database.js';
import { EmbeddedPostgres } from './embedded-postgres.js';
import { ObjectReader } from './object-reader.js';
import { connect } from './open-database.js';
import { RevisionStore } from './revision-store.js';
import { SnapshotWriter } from './snapshot-writer.js';

const run = promisify(execFile);
const silent = (): void => undefined;
const REPLICATED = { wal_level: 'replica', max_wal_senders: '4' };

let primary: EmbeddedPostgres;
let standby: EmbeddedPostgres;
let database: Database;
const folders: string[] = [];
const logged: string[] = [];

/** A primary, a backup of it that follows it, and a database that reads from both. */
beforeAll(async () => {
  const folder = await copyOfDataFolder();
  const copy = await mkdtemp(join(tmpdir(), 'kube-placement-standby-'));
  folders.push(folder, copy);
  primary = await EmbeddedPostgres.start({ dataDir: folder, log: silent, durable: false, settings: REPLICATED });
  const migrated = await connect(primary.url, { poolSize: 2 }, silent);
  // One connection makes the whole backup.
  const label = await migrated.session(async (client) => {
    await client.query("select pg_backup_start('standby', true)");
    await run('cp', ['-a', `${folder}/.`, copy]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)');
    return rows[0]!.labelfile;
  });
  await migrated.dataSource.destroy();
  const [data] = await sql<{ data: string }>(primary.url, "select current_setting('data_directory') as data");
  const copied = data!.data.replace(folder, copy);
  const { uid, gid } = await stat(copied);
  for (const [name, content] of Object.entries({ backup_label: label, 'standby.signal': '' })) {
    await writeFile(join(copied, name), content);
    await chown(join(copied, name), uid, gid);
  }
  const { username, password, port } = new URL(primary.url);
  const settings = {
    ...REPLICATED,
    primary_conninfo: `host=127.0.0.1 port=${port} user=${username} password=${decodeURIComponent(password)}`,
  };
  standby = await EmbeddedPostgres.start({ dataDir: copy, log: silent, durable: false, settings });
  database = await connect(primary.url, { poolSize: 4, readUrl: standby.url }, (_level, message) => {
    logged.push(message);
  });
});
afterAll(async () => {
  await database.dataSource.destroy();
  await database.standby!.end();
  await standby.stop();
  await primary.stop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const store = (content: string): Promise<unknown> =>
  new SnapshotWriter(database).commit(snapshotOf({ 'Pod/x/a': content }));

/** Where the reads went while `work` ran. */
async function readFrom(work: () => Promise<unknown>): Promise<object> {
  const { standby: before, primary: instead } = database.standby!.counts;
  await work();
  const { standby: after, primary: afterwards } = database.standby!.counts;
  return { standby: after - before, primary: afterwards - instead };
}

async function caughtUp(): Promise<void> {
  const [position] = await sql<{ at: string }>(primary.url, 'select pg_current_wal_lsn()::text as at');
  for (;;) {
    const [row] = await sql<{ reached: boolean }>(
      standby.url,
      `select pg_last_wal_replay_lsn() >= '${position!.at}' as reached`,
    );
    if (row!.reached) return;
  }
}

describe('reads with a standby', () => {
  const stateOf = (revision: number) => objectsAt(new ObjectReader(database), 1, revision);
  const newest = async () => (await new RevisionStore(database).list(1, { limit: 1 })).items[0]?.number;
  const STANDBY = { standby: 1, primary: 0 };
  const PRIMARY = { standby: 0, primary: 1 };

  it('read it while it is not behind', async () => {
    await store('one');
    await caughtUp();
    expect(await readFrom(async () => expect(await stateOf(1)).toEqual({ 'Pod/x/a': 'one' }))).toEqual(STANDBY);
    expect(await readFrom(async () => expect(await newest()).toBe(1))).toEqual(STANDBY);
  });

  it('see nothing older than the primary has, but old revisions wherever they are', async () => {
    await sql(standby.url, 'select pg_wal_replay_pause()');
    await store('two');
    expect(await readFrom(async () => expect(await newest()).toBe(2))).toEqual(PRIMARY);
    expect(await readFrom(async () => expect(await stateOf(2)).toEqual({ 'Pod/x/a': 'two' }))).toEqual(PRIMARY);
    expect(await readFrom(async () => expect(await stateOf(1)).toEqual({ 'Pod/x/a': 'one' }))).toEqual(STANDBY);
    await sql(standby.url, 'select pg_wal_replay_resume()');
    await caughtUp();
    expect(await readFrom(async () => expect(await newest()).toBe(2))).toEqual(STANDBY);
    expect(await readFrom(async () => expect(await stateOf(2)).toEqual({ 'Pod/x/a': 'two' }))).toEqual(STANDBY);
  });

  it('report a revision that neither has as not found', async () => {
    await expect(stateOf(3)).rejects.toMatchObject({ code: 'RevisionNotFound' });
  });

  it('read the primary where the server has become a primary itself', async () => {
    await sql(standby.url, 'select pg_promote()');
    await sql(standby.url, "insert into clusters (name) values ('of another history')");
    expect(await readFrom(async () => expect(await stateOf(2)).toEqual({ 'Pod/x/a': 'two' }))).toEqual(PRIMARY);
    expect(await readFrom(async () => expect(await newest()).toBe(2))).toEqual(PRIMARY);
    expect(logged).toContain('the standby could not be read; the primary is read instead');
  });

  it('read the primary while the server is away', async () => {
    await standby.stop();
    const other = await connect(primary.url, { poolSize: 2, readUrl: standby.url }, silent);
    try {
      expect(await objectsAt(new ObjectReader(other), 1, 2)).toEqual({ 'Pod/x/a': 'two' });
      expect((await new RevisionStore(other).list(1, { limit: 1 })).items[0]?.number).toBe(2);
      expect(other.standby!.counts).toEqual({ standby: 0, primary: 2 });
    } finally {
      await other.dataSource.destroy();
      await other.standby!.end();
    }
  });
});
