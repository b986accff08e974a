import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copyOfDataFolder, startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { sql } from '../support/sql.js';

const run = promisify(execFile);
const MAIN = join(process.cwd(), 'dist/bundle/main.js');

jest.setTimeout(240_000);

let postgres: TestPostgres;
let taken: Server;
let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
  await run('node', ['scripts/build.mjs', '--bundle']);
  folder = await mkdtemp(join(tmpdir(), 'start-faults-'));
  // The embedded Postgres must pass it as the user that it runs as.
  await chmod(folder, 0o755);
  taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
}, 240_000);
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  taken.close();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

/** The service until it has ended by itself. */
async function start(env: Record<string, string>, words: readonly string[] = ['node', MAIN]): Promise<Ended> {
  const [command, ...args] = words;
  const child = spawn(command!, args, {
    // On a busy machine, a new connection to Postgres may take long.
    env: { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'warn', DATABASE_CONNECT_TIMEOUT_MS: '20000', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr };
}

const oneLine = (ended: Ended, message: RegExp): void => {
  expect(ended).toEqual({ code: 1, stderr: expect.stringMatching(message) });
  expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
};

function canMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The service with a separate file system mounted at a folder. */
const onTmpfs = (options: string, path: string): readonly string[] => [
  ...['unshare', '--mount', 'sh', '-c', `mount -t tmpfs -o mode=755,${options} tmpfs "$1" && exec node "$0"`],
  ...[MAIN, path],
];

describe('a service that cannot start explains why in one line, and exits with 1', () => {
  it('if its folder is in use', async () => {
    const dataDir = await copyOfDataFolder();
    const first = spawn('node', [MAIN], {
      env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(first);
    await new Promise<void>((resolve) => {
      first.stdout.on('data', (chunk: Buffer) => {
        if (chunk.includes('"ready"')) resolve();
      });
    });
    oneLine(
      await start({ DATA_DIR: dataDir }),
      /^The data folder .* is in use by another process \(\d+\); stop that first/,
    );
    const ended = once(first, 'close');
    first.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  });

  it('if its folder is a file, or has lost its password', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    oneLine(await start({ DATA_DIR: file }), /^The data folder .* cannot be used: a file has that name/);
    oneLine(await start({ DATA_DIR: join(file, 'data') }), /cannot be used: part of the path is a file, not a folder/);
    const dataDir = await copyOfDataFolder();
    await rm(join(dataDir, 'password'));
    oneLine(await start({ DATA_DIR: dataDir }), /^The password of the database is missing: restore the file /);
    await rm(dataDir, { recursive: true, force: true });
  });

  const itMounts = canMount() ? it : it.skip;

  itMounts('where its folder is read-only', async () => {
    oneLine(await start({ DATA_DIR: folder }, onTmpfs('ro', folder)), /its file system is read-only; mount/);
    oneLine(await start({ DATA_DIR: join(folder, 'data') }, onTmpfs('ro', folder)), /it cannot be created/);
  });

  itMounts('where the disk is full', async () => {
    oneLine(
      await start({ DATA_DIR: join(folder, 'data') }, onTmpfs('size=8m', folder)),
      /the disk is full; free up space/,
    );
  });

  it('if its port is in use, or its address is not of this machine', async () => {
    const { port } = taken.address() as AddressInfo;
    const DATABASE_URL = await postgres.createEmptyDatabase();
    oneLine(
      await start({ DATABASE_URL, PORT: String(port) }),
      new RegExp(`^Port ${port} of 127.0.0.1 is in use. Set PORT`),
    );
    const elsewhere = { DATABASE_URL, HOST: '192.0.2.1', AUTHENTICATION: 'off' };
    const ended = await start({ ...elsewhere, LOG_LEVEL: 'silent' });
    oneLine(ended, /^This machine has no address 192\.0\.2\.1\. Set HOST/);
  });

  it('if the database is unreachable, or refuses the login', async () => {
    oneLine(
      await start({ DATABASE_URL: 'postgres://nobody:secret-1@127.0.0.1:1/none' }),
      /^The database is currently unreachable \(connect ECONNREFUSED 127\.0\.0\.1:1\); check DATABASE_URL/,
    );
    const url = new URL(await postgres.createEmptyDatabase());
    const other = new URL(url);
    other.password = 'secret-2';
    oneLine(await start({ DATABASE_URL: other.href }), /^The database rejects this role: password .* Check the user/);
    other.password = '';
    oneLine(
      await start({ DATABASE_URL: other.href }),
      /^The database requires a password, but DATABASE_URL has no usable one/,
    );
    other.href = url.href;
    other.pathname = '/none';
    oneLine(await start({ DATABASE_URL: other.href }), /^The database does not exist: .*"none".*Create it/);
  });

  it('if the disk of the database is full', async () => {
    const url = await postgres.createEmptyDatabase();
    await sql(
      url,
      `create function fill() returns event_trigger language plpgsql as $$
       begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
       create event trigger full_disk on ddl_command_start execute function fill()`,
    );
    oneLine(await start({ DATABASE_URL: url }), /^The disk of the database is full; nothing can be stored/);
  });

  it('if settings are wrong, with a line for each', async () => {
    const { code, stderr } = await start({ PORT: 'x', BODY_LIMIT: 'y', DATABASE_URL: 'postgres://a@b/c' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Invalid settings in the environment:\n  PORT: .*\n  BODY_LIMIT: .*\n$/);
  });

  it('and prints the stack with LOG_LEVEL=debug', async () => {
    const { code, stderr } = await start({ DATABASE_URL: 'postgres://a:b@127.0.0.1:1/c', LOG_LEVEL: 'debug' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database is currently unreachable .*\n[^]*\n\s+at /);
  });
});
