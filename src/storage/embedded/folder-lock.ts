import { closeSync, constants, ftruncateSync, openSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataFolderError } from './data-folder-error.js';
import { runningServer, stopServer } from './postgres-server.js';
import { processIdentity } from './process-identity.js';

/** How long to wait for a lock whose holder is not known to live: the holder may be ending. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 20;

/** The content of the lock file: its last holder. */
interface Holder {
  readonly pid: number;
  /** See `processIdentity`. */
  readonly process: string;
  /** The PID namespace of `pid`; empty if the system has none. */
  readonly pidNamespace: string;
  readonly host: string;
}

/** Another process serves this data folder. */
export class DataFolderInUse extends DataFolderError {
  override readonly name = 'DataFolderInUse';

  constructor(folder: string, holder: Holder | undefined) {
    super(
      `the data folder ${folder} is in use by ${describe(holder)}; stop that first, or set DATA_DIR to another ` +
        'folder, or DATABASE_URL to let several replicas share one database',
    );
  }
}

function describe(holder: Holder | undefined): string {
  if (holder === undefined) return 'another process';
  if (holder.pidNamespace === pidNamespace()) return `another process (${holder.pid})`;
  return `another process (${holder.pid} on host ${holder.host}, in another container or PID namespace)`;
}

/**
 * The exclusive right to serve a data folder: a kernel lock on a file in it. Containers that share the folder see the lock
 * whatever their namespaces, and it is released with the last process that has the file open, however that process ends.
 * Postgres inherits the open file, so that a server that outlives its service still blocks others.
 */
export class FolderLock {
  private constructor(
    /** The file descriptor that every process working on the folder must inherit. */
    readonly fd: number,
  ) {}

  /**
   * Acquires the lock, and stops a server that has outlived its service and still holds it. Nothing in the folder is changed
   * before the lock is acquired.
   * @param stopped called after such a server was stopped
   * @throws {DataFolderError} if another process serves the folder, or its file system has no locks
   */
  static async acquire(folder: string, stopped: () => void = () => undefined): Promise<FolderLock> {
    const path = join(folder, 'service.lock');
    const pgData = join(folder, 'postgres');
    const tryLock = await loadTryLock();
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o644);
    try {
      let deadline = Date.now() + PATIENCE_MS;
      while (!locked(tryLock, fd, folder)) {
        // Keep this order: a server found before its service is known to be dead belongs to that service, not to a successor.
        const server = await runningServer(pgData);
        const holder = readHolder(path);
        const isHere = holder?.pidNamespace === pidNamespace();
        if (isHere && processIdentity(holder.pid) === holder.process) throw new DataFolderInUse(folder, holder);
        if (isHere && server !== undefined) {
          await stopServer(pgData, server);
          stopped();
          deadline = Date.now() + PATIENCE_MS;
        }
        if (Date.now() > deadline) throw new DataFolderInUse(folder, isHere ? undefined : holder);
        await sleep(PAUSE_MS);
      }
      writeHolder(fd);
      return new FolderLock(fd);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** The file remains: removing it could leave two processes with a lock each, on two files of the same name. */
  release(): void {
    closeSync(this.fd);
  }
}

type TryLock = (fd: number) => boolean;

/**
 * Loaded only to lock a folder, so that a service with DATABASE_URL also runs on systems for which the package has no binary.
 */
async function loadTryLock(): Promise<TryLock> {
  try {
    const { default: extensions } = (await import('fs-native-extensions')) as unknown as {
      default: { tryLock: TryLock };
    };
    return extensions.tryLock;
  } catch (cause) {
    throw new DataFolderError(
      `the embedded Postgres needs file locks, and the package fs-native-extensions has none for this system ` +
        `(${process.platform}-${process.arch}); set DATABASE_URL to your own Postgres`,
      { cause },
    );
  }
}

function locked(tryLock: TryLock, fd: number, folder: string): boolean {
  try {
    return tryLock(fd);
  } catch (cause) {
    throw new DataFolderError(
      `the file system of ${folder} refuses to lock a file (${(cause as Error).message}), so nothing would prevent a second ` +
        'service from using it; set DATA_DIR to a folder on a local disk',
      { cause },
    );
  }
}

function writeHolder(fd: number): void {
  const holder: Holder = {
    pid: process.pid,
    process: processIdentity(process.pid) ?? '',
    pidNamespace: pidNamespace(),
    host: hostname(),
  };
  ftruncateSync(fd);
  writeSync(fd, `${JSON.stringify(holder)}\n`, 0);
}

/** Returns undefined while the file is being written, and for a file of an earlier version. */
function readHolder(path: string): Holder | undefined {
  try {
    const { pid, process, pidNamespace, host } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder>;
    if (typeof pid !== 'number' || pid <= 0 || !process || pidNamespace === undefined) return undefined;
    return { pid, process, pidNamespace, host: host ?? 'unknown' };
  } catch {
    return undefined;
  }
}

function pidNamespace(): string {
  return process.platform === 'linux' ? readlinkSync('/proc/self/ns/pid') : '';
}
