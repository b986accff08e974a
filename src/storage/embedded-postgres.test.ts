import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { copyOfDataFolder } from '../../test/support/postgres.js';
import { openDataFolder } from './embedded/data-folder.js';
import { FolderLock } from './embedded/folder-lock.js';
import { processIdentity } from './embedded/process-identity.js';
import { EmbeddedPostgres } from './embedded-postgres.js';
import { connect, openDatabase } from './open-database.js';
import { StorageUnavailable } from './storage-error.js';

const silent = () => undefined;
const started: EmbeddedPostgres[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** A data folder that was used before, or (`fresh`) one that is not there yet. */
async function newFolder(fresh = false): Promise<string> {
  const folder = fresh ? await mkdtemp(join(tmpdir(), 'kube-placement-embedded-')) : await copyOfDataFolder();
  folders.push(folder);
  if (!fresh) return folder;
  // The server's user, when root starts it, must be able to pass.
  await chmod(folder, 0o711);
  return join(folder, 'data');
}

async function start(dataDir: string, log = silent as (...told: unknown[]) => void): Promise<EmbeddedPostgres> {
  const server = await EmbeddedPostgres.start({ dataDir, log, durable: false });
  started.push(server);
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the embedded Postgres', () => {
  it('keeps its data and its password over a restart, on loopback, behind the password', async () => {
    const folder = await newFolder(true);
    const first = await start(folder);
    expect(first.dataDir).toBe(folder);
    expect((await stat(join(folder, 'password'))).mode & 0o777).toBe(0o600);
    await query(first.url, 'create table kept as select 42 as answer');
    const wrong = first.url.replace(/:[^:@]+@/, ':wrong@');
    await expect(query(wrong, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect(await query(first.url, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    await first.stop();
    const second = await start(folder);
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('refuses a folder that a living process serves, and names it', async () => {
    const folder = await newFolder();
    const server = await start(folder);
    const refused = EmbeddedPostgres.start({ dataDir: server.dataDir, log: silent });
    await expect(refused).rejects.toThrow(`in use by another process (${process.pid})`);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('clears what a dead service left: its lock file, and a postmaster.pid whose number is now another program', async () => {
    const folder = await newFolder();
    const other = spawn('sleep', ['60']);
    await writeFile(join(folder, 'service.lock'), `{"pid":${other.pid},"process":"${other.pid}:1","pidNamespace":""}`);
    await writeFile(join(folder, 'postgres', 'postmaster.pid'), `${other.pid}\n${folder}/postgres\n`);
    const server = await start(folder);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(processIdentity(other.pid!)).toBeDefined();
    other.kill();
  });

  it('comes back by itself on its port when it falls, and a pool recovers without a restart', async () => {
    let back: () => void = silent;
    const isBack = new Promise<void>((resolve) => (back = resolve));
    const server = await start(await newFolder(), (level) => {
      if (level === 'info') back();
    });
    const database = await connect(server.url, { poolSize: 2 }, silent);
    const { pid } = server;
    process.kill(pid, 'SIGKILL');
    // Until it is back a call may fail, but only in one way.
    await database.ping().catch((error: unknown) => expect(error).toBeInstanceOf(StorageUnavailable));
    await isBack;
    await database.ping().catch((error: unknown) => expect(error).toBeInstanceOf(StorageUnavailable));
    await database.ping();
    expect(server.pid).not.toBe(pid);
    await database.dataSource.destroy();
  });

  it('goes elsewhere, and says so, when the user that it runs as may not pass a folder above its own', async () => {
    if (process.getuid?.() !== 0) return;
    const closed = await mkdtemp(join(tmpdir(), 'kube-placement-closed-'));
    folders.push(closed);
    const opened = await openDataFolder(join(closed, 'data'));
    folders.push(opened.path);
    expect(opened.path).toMatch(/^\/var\/lib\/kube-placement\/[0-9a-f]{12}$/);
    expect(opened.notice).toContain(`may not traverse ${closed}; the data is stored in ${opened.path}`);
    expect((await openDataFolder(join(closed, 'data'))).path).toBe(opened.path);
  });

  it('stops with its service, in order', async () => {
    const server = await start(await newFolder());
    await server.stop();
    await server.stop();
    expect(processIdentity(server.pid)).toBeUndefined();
    await expect(readFile(join(server.dataDir, 'postgres', 'postmaster.pid'))).rejects.toThrow('ENOENT');
    const lock = await FolderLock.acquire(server.dataDir);
    lock.release();
  });
});

describe('opening the database', () => {
  it('takes the embedded one when no other is given', async () => {
    const opened = await openDatabase({ dataDir: await newFolder() }, silent);
    await opened.database.ping();
    expect(opened.dataDir).toBeDefined();
    await opened.close();
    await expect(opened.database.ping()).rejects.toThrow(StorageUnavailable);
  });

  it('that cannot be reached is StorageUnavailable', async () => {
    const refused = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', dataDir: 'unused' }, silent);
    await expect(refused).rejects.toThrow(StorageUnavailable);
  });
});
