import { setTimeout as sleep } from 'node:timers/promises';
import { dataFolderError } from './embedded/data-folder-error.js';
import { openDataFolder, prepareDatabase, ROLE } from './embedded/data-folder.js';
import { FolderLock } from './embedded/folder-lock.js';
import { copyBinaries, findBinaries, linkLibraries } from './embedded/postgres-binaries.js';
import {
  clearFormerServer,
  freePort,
  type RunningServer,
  type ServerCommand,
  ServerDidNotStart,
  startServer,
} from './embedded/postgres-server.js';
import { impassable } from './embedded/server-user.js';
import type { StorageLog } from './storage-log.js';
import { join } from 'node:path';

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly log: StorageLog;
  /** Overrides of the server's settings. */
  readonly settings?: Readonly<Record<string, string>>;
  /** false: nothing is forced to the disk, for temporary databases (tests). */
  readonly durable?: boolean;
}

/** Listens on loopback only, is sized for one service on a small machine, and never logs a statement or parameter. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '64',
  shared_buffers: '256MB',
  temp_buffers: '32MB',
  maintenance_work_mem: '128MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  wal_level: 'minimal',
  max_wal_senders: '0',
  random_page_cost: '1.1',
  log_min_messages: 'warning',
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: '0',
  log_statement: 'none',
  log_checkpoints: 'off',
};

const NOT_DURABLE: Readonly<Record<string, string>> = {
  // Committed data survives a killed server even so, because the operating system has it.
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '64MB',
};

/** The maximum delay before the next attempt to restart a crashed server. */
const MAX_PAUSE_MS = 5_000;

/**
 * Runs a real Postgres from npm's binaries in a folder, for a service without a configured database. It listens on
 * loopback with a generated password, and runs as `nobody` if root starts it. A server that crashes is restarted on the
 * same port, so that connection pools recover; it stops with the service.
 */
export class EmbeddedPostgres {
  private stopping: Promise<void> | undefined;
  private stopRequested = false;
  private readonly onExit = () => {
    this.stopRequested = true;
    this.server.signal('SIGINT');
    this.lock.release();
  };
  private readonly onSignal = (signal: NodeJS.Signals) => {
    // If there are other listeners, they decide when the service ends and stop its database last. Otherwise, end the
    // process here.
    if (process.listenerCount(signal) > 1) return;
    void this.stop().finally(() => process.kill(process.pid, signal));
  };

  private constructor(
    private readonly command: ServerCommand,
    private server: RunningServer,
    private readonly lock: FolderLock,
    private readonly password: string,
    /** The folder in use, which differs from the requested one if that is not usable. */
    readonly dataDir: string,
    private readonly log: StorageLog,
  ) {
    process.on('exit', this.onExit);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, this.onSignal);
    this.supervise();
  }

  /**
   * @throws {DataFolderInUse} if another living process serves the folder
   * @throws {DataFolderError} with a message for the operator: the folder is not usable, or has another major version
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    try {
      return await EmbeddedPostgres.startIn(options);
    } catch (error) {
      throw dataFolderError(options.dataDir, error);
    }
  }

  private static async startIn(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const { log } = options;
    const durable = options.durable ?? true;
    const folder = await openDataFolder(options.dataDir);
    if (folder.notice !== undefined) log('warn', folder.notice);
    const outlived = () => {
      log('warn', 'stopped an embedded Postgres left over from an earlier run of the service', { folder: folder.path });
    };
    const lock = await FolderLock.acquire(folder.path, outlived);
    try {
      let binaries = await findBinaries();
      const reachable =
        folder.user === undefined ||
        (await impassable(join(binaries.native, 'bin', 'postgres'), folder.user)) === undefined;
      if (!reachable || !(await linkLibraries(binaries.native))) binaries = await copyBinaries(binaries, folder.path);
      const { pgData, password, created } = await prepareDatabase(folder, binaries, {
        sync: durable,
        lockFd: lock.fd,
      });
      if (!created && (await clearFormerServer(pgData)) === 'stopped') outlived();
      const settings = { ...SETTINGS, ...(durable ? {} : NOT_DURABLE), ...options.settings };
      const { command, server } = await startOnFreePort({
        binaries,
        pgData,
        user: folder.user,
        settings,
        lockFd: lock.fd,
      });
      return new EmbeddedPostgres(command, server, lock, password, folder.path, log);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** The connection URL, including the password: do not log it. */
  get url(): string {
    return this.urlOf('postgres');
  }

  /** The URL of another database on the same server. */
  urlOf(database: string): string {
    return `postgres://${ROLE}:${this.password}@127.0.0.1:${this.command.port}/${encodeURIComponent(database)}`;
  }

  get port(): number {
    return this.command.port;
  }

  /** The process id of the postmaster. */
  get pid(): number {
    return this.server.pid;
  }

  /** Ends all sessions and then the server; may be called twice. */
  stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }

  private async shutDown(): Promise<void> {
    this.stopRequested = true;
    this.server.signal('SIGINT');
    const late = setTimeout(() => this.server.signal('SIGQUIT'), 15_000);
    await this.server.ended;
    clearTimeout(late);
    process.off('exit', this.onExit);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.off(signal, this.onSignal);
    this.lock.release();
  }

  /** Restarts the server whenever it ends unexpectedly. */
  private supervise(): void {
    void this.server.ended.then(async (output) => {
      for (let pause = 50; !this.stopRequested; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
        this.log('error', 'the embedded Postgres ended unexpectedly; restarting it', { output });
        try {
          await clearFormerServer(this.command.pgData);
          this.server = await startServer(this.command);
          this.log('info', 'the embedded Postgres is running again');
          if (this.stopRequested) this.server.signal('SIGINT');
          this.supervise();
          return;
        } catch (error) {
          output = error instanceof Error ? error.message : String(error);
          await sleep(pause, undefined, { ref: false });
        }
      }
    });
  }
}

/** Tries another port if a free port is taken before the server binds it. */
async function startOnFreePort(
  command: Omit<ServerCommand, 'port'>,
): Promise<{ command: ServerCommand; server: RunningServer }> {
  for (let attempt = 1; ; attempt++) {
    const withPort = { ...command, port: await freePort() };
    try {
      return { command: withPort, server: await startServer(withPort) };
    } catch (error) {
      const taken = error instanceof ServerDidNotStart && /could not bind|Address already in use/.test(error.output);
      if (!taken || attempt === 5) throw error;
    }
  }
}
