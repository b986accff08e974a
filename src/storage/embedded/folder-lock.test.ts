import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { buildSources } from '../../../test/support/build-sources.js';
import { copyOfDataFolder } from '../../../test/support/postgres.js';
import { EmbeddedPostgres } from '../embedded-postgres.js';
import { processIdentity } from './process-identity.js';

/**
 * Serves the folder in DATA_DIR until it is killed, and writes the outcome: `up` with the address, or `refused` with the
 * reason.
 */
const SERVE = `
  const { EmbeddedPostgres } = await import(process.env.MODULE);
  try {
    const log = () => undefined;
    const server = await EmbeddedPostgres.start({ dataDir: process.env.DATA_DIR, log });
    console.log(JSON.stringify({ up: server.url, postmaster: server.pid }));
  } catch (error) {
    console.log(JSON.stringify({ refused: error.message, name: error.name }));
  }`;

/** Separate PID and IPC namespaces, as every container has. */
const CONTAINER = ['unshare', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc'];

interface Outcome {
  readonly up?: string;
  readonly postmaster?: number;
  readonly refused?: string;
  readonly name?: string;
}

let module: string;
const children: ChildProcess[] = [];
const folders: string[] = [];

beforeAll(async () => {
  module = join(await buildSources('folder-lock-test', ['src/storage']), 'src/storage/embedded-postgres.js');
});
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  for (const folder of folders.splice(0)) {
    // Stop a server that outlived its test process.
    await (await EmbeddedPostgres.start({ dataDir: folder, log: () => undefined, durable: false })).stop();
    await rm(folder, { recursive: true, force: true });
  }
});

async function newFolder(): Promise<string> {
  const folder = await copyOfDataFolder();
  folders.push(folder);
  return folder;
}

/** Starts another process that serves the folder. */
async function serve(
  dataDir: string,
  within: readonly string[] = [],
): Promise<Outcome & { readonly child: ChildProcess }> {
  const [command, ...args] = [...within, process.execPath, '--input-type=module', '--eval', SERVE];
  const child = spawn(command, args, {
    env: { ...process.env, MODULE: module, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { ...(JSON.parse(line) as Outcome), child };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
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

/** All top-level files of the two folders, the lock's content, and the postmaster's but for the last line, its state. */
async function stateOf(folder: string): Promise<unknown> {
  return {
    files: [...(await readdir(folder)), ...(await readdir(join(folder, 'postgres')))].sort(),
    lock: await readFile(join(folder, 'service.lock'), 'utf8'),
    postmaster: (await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n').slice(0, 7),
  };
}

function canIsolate(): boolean {
  try {
    execFileSync(CONTAINER[0]!, [...CONTAINER.slice(1), 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('a data folder', () => {
  it('is rejected if another process serves it, and nothing in it changes', async () => {
    const folder = await newFolder();
    const first = await serve(folder);
    const before = await stateOf(folder);
    const second = await serve(folder);
    expect(second).toMatchObject({ name: 'DataFolderInUse' });
    expect(second.refused).toContain(`${folder} is in use by another process (${first.child.pid}); stop that first`);
    expect(await stateOf(folder)).toEqual(before);
    expect(await query(first.up!, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is taken over from a killed service, whose Postgres is stopped first', async () => {
    const folder = await newFolder();
    const first = await serve(folder);
    await query(first.up!, 'create table kept as select 42 as answer');
    await kill(first.child);
    const second = await serve(folder);
    expect(second.refused).toBeUndefined();
    expect(processIdentity(first.postmaster!)).toBeUndefined();
    expect(await query(second.up!, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('goes to only one of two services that take it over from a killed one at the same time', async () => {
    const folder = await newFolder();
    await kill((await serve(folder)).child);
    const both = await Promise.all([serve(folder), serve(folder)]);
    expect(both.filter(({ name }) => name === 'DataFolderInUse')).toHaveLength(1);
    const [winner] = both.filter(({ up }) => up !== undefined);
    expect(await query(winner!.up!, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  const itIsolated = canIsolate() ? it : it.skip;

  itIsolated('that is served in another PID namespace is refused, and nothing in it changes', async () => {
    const folder = await newFolder();
    const first = await serve(folder, CONTAINER);
    const before = await stateOf(folder);
    for (const within of [CONTAINER, []]) {
      const second = await serve(folder, within);
      expect(second).toMatchObject({ name: 'DataFolderInUse' });
      expect(second.refused).toMatch(
        /in use by another process \(1 on host .*, in another container or PID namespace\)/,
      );
    }
    expect(await stateOf(folder)).toEqual(before);
    expect(await query(first.up!, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  itIsolated('is taken over from a killed container by another one', async () => {
    const folder = await newFolder();
    const first = await serve(folder, CONTAINER);
    await query(first.up!, 'create table kept as select 42 as answer');
    await kill(first.child);
    const second = await serve(folder, CONTAINER);
    expect(second.refused).toBeUndefined();
    expect(await query(second.up!, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });
});
