import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { commandLine } from './process-identity.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import type { ServerUser } from './server-user.js';

/** The program, its settings and its user. */
export interface ServerCommand {
  readonly binaries: PostgresBinaries;
  /** Postgres' own data folder. */
  readonly pgData: string;
  readonly user: ServerUser | undefined;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
  /** The folder's lock file, which every process of the server inherits and keeps open. */
  readonly lockFd: number;
}

/** A running postmaster. */
export interface RunningServer {
  readonly pid: number;
  /** Resolves with the last output when the process has ended, for any reason. */
  readonly ended: Promise<string>;
  signal(signal: NodeJS.Signals): void;
}

/** The postmaster did not start; `output` is what it printed. */
export class ServerDidNotStart extends Error {
  override readonly name = 'ServerDidNotStart';

  constructor(readonly output: string) {
    super(`the embedded Postgres did not start: ${output.trim() || 'it printed no message'}`);
  }
}

/** The number of output lines kept to explain the end of the server. */
const KEPT_LINES = 30;

/** Options of `spawn` shared by all Postgres programs here. */
export function spawnOptions(user: ServerUser | undefined) {
  return {
    ...(user ?? {}),
    // A folder that every user may enter: the current one may be closed to the server's user.
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  };
}

/** Starts a postmaster and waits until it accepts connections. @throws {ServerDidNotStart} */
export async function startServer(command: ServerCommand): Promise<RunningServer> {
  const { binaries, pgData, user, port, settings, lockFd } = command;
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(binaries.native, 'bin', 'postgres'), ['-D', pgData, '-p', String(port), ...options], {
    ...spawnOptions(user),
    stdio: ['ignore', 'ignore', 'pipe', lockFd],
    // A separate session: Ctrl-C in a terminal reaches only the service, which stops its server last.
    detached: true,
  });
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    const ended = new Promise<string>((over) => {
      const finish = () => over(lines.join('\n'));
      child.once('error', (error) => {
        lines.push(error.message);
        finish();
      });
      child.once('close', finish);
    });
    createInterface({ input: child.stderr! }).on('line', (line) => {
      lines.push(line);
      if (lines.length > KEPT_LINES) lines.shift();
      if (/database system is ready to accept (read-only )?connections/.test(line)) {
        resolve({ pid: child.pid!, ended, signal: (signal) => void signalled(child, signal) });
      }
    });
    void ended.then((output) => reject(new ServerDidNotStart(output)));
  });
}

function signalled(child: ChildProcess, signal: NodeJS.Signals): boolean {
  return child.exitCode === null && child.signalCode === null && child.kill(signal);
}

/** A free port of the loopback interface. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return (address as { port: number }).port;
}

/** The postmaster that runs on a folder, if this process can see it; otherwise undefined. */
export async function runningServer(pgData: string): Promise<number | undefined> {
  const file = await readFile(join(pgData, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(file.split('\n')[0]);
  return Number.isInteger(pid) && pid > 0 && serves(pid, pgData) ? pid : undefined;
}

const serves = (pid: number, pgData: string): boolean => commandLine(pid)?.includes(`-D ${pgData} `) === true;

/** Stops a postmaster found by `runningServer`, and waits until it has ended. */
export async function stopServer(pgData: string, pid: number): Promise<void> {
  const deadline = Date.now() + 15_000;
  signalProcess(pid, 'SIGINT');
  while (serves(pid, pgData)) {
    if (Date.now() > deadline) signalProcess(pid, 'SIGQUIT');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The process ended in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Prepares a folder, whose lock this process holds, for a new server: stops a server that still runs, and removes a
 * postmaster.pid whose number belongs to no process or to another program (Postgres would reject it).
 */
export async function clearFormerServer(pgData: string): Promise<'none' | 'stopped'> {
  const pid = await runningServer(pgData);
  if (pid === undefined) {
    await rm(join(pgData, 'postmaster.pid'), { force: true });
    return 'none';
  }
  await stopServer(pgData, pid);
  return 'stopped';
}
