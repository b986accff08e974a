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

/** A data folder that was used before, or (`fresh`) one that does not exist yet. */
async function newFolder(fresh = false): Promise<string> {
  const folder = fresh ? await mkdtemp(join(tmpdir(), 'kube-placement-embedded-')) : await copyOfDataFolder();
  folders.push(folder);
  if (!fresh) return folder;
  // If root starts the server, its user must be able to traverse the folder.
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
  it('keeps its data and password over a restart, and listens on loopback with password authentication', async () => {
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

  it('rejects a folder that a living process serves, and names it', async () => {
    const folder = await newFolder();
    const server = await start(folder);
    const refused = EmbeddedPostgres.start({ dataDir: server.dataDir, log: silent });
    await expect(refused).rejects.toThrow(`in use by another process (${process.pid})`);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('cleans up after a dead service: its lock file, and a postmaster.pid whose number now belongs to another program', async () => {
    const folder = await newFolder();
    const other = spawn('sleep', ['60']);
    await writeFile(join(folder, 'service.lock'), `{"pid":${other.pid},"process":"${other.pid}:1","pidNamespace":""}`);
    await writeFile(join(folder, 'postgres', 'postmaster.pid'), `${other.pid}\n${folder}/postgres\n`);
    const server = await start(folder);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(processIdentity(other.pid!)).toBeDefined();
    other.kill();
  });

  it('restarts on the same port when it crashes, and a pool recovers without a restart', async () => {
    let back: () => void = silent;
    const isBack = new Promise<void>((resolve) => (back = resolve));
    const server = await start(await newFolder(), (level) => {
      if (level === 'info') back();
    });
    const database = await connect(server.url, { poolSize: 2 }, silent);
    const { pid } = server;
    process.kill(pid, 'SIGKILL');
    // Until the server is back, a call may fail only with this error.
    await database.ping().catch((error: unknown) => expect(error).toBeInstanceOf(StorageUnavailable));
    await isBack;
    await database.ping().catch((error: unknown) => expect(error).toBeInstanceOf(StorageUnavailable));
    await database.ping();
    expect(server.pid).not.toBe(pid);
    await database.dataSource.destroy();
  });

  it('uses another folder, and says so, if its user may not traverse a parent of its own', async () => {
    if (process.getuid?.() !== 0) return;
    const closed = await mkdtemp(join(tmpdir(), 'kube-placement-closed-'));
    folders.push(closed);
    const opened = await openDataFolder(join(closed, 'data'));
    folders.push(opened.path);
    expect(opened.path).toMatch(/^\/var\/lib\/kube-placement\/[0-9a-f]{12}$/);
    expect(opened.notice).toContain(`may not traverse ${closed}; the data is stored in ${opened.path}`);
    expect((await openDataFolder(join(closed, 'data'))).path).toBe(opened.path);
  });

  it('stops in order with its service', async () => {
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
  it('starts the embedded one if no other is given', async () => {
    const opened = await openDatabase({ dataDir: await newFolder() }, silent);
    await opened.database.ping();
    expect(opened.dataDir).toBeDefined();
    await opened.close();
    await expect(opened.database.ping()).rejects.toThrow(StorageUnavailable);
  });

  it('throws StorageUnavailable if the database cannot be reached', async () => {
    const refused = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', dataDir: 'unused' }, silent);
    await expect(refused).rejects.toThrow(StorageUnavailable);
  });
});
