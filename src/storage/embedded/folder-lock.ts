import { closeSync, constants, ftruncateSync, openSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataFolderError } from './data-folder-error.js';
import { runningServer, stopServer } from './postgres-server.js';
import { processIdentity } from './process-identity.js';

/** How long to wait for a lock whose holder is not known to live: it may be ending. */
const PATIENCE_MS = 3_000;
const PAUSE_MS = 20;

/** What the lock file says of whoever took it last. */
interface Holder {
  readonly pid: number;
  /** See `processIdentity`. */
  readonly process: string;
  /** In which PID namespace the number counts; empty where the system has none. */
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
 * The right to serve a data folder: a lock that the kernel holds on a file there. Containers that share the folder see it
 * whatever namespaces they have, and it goes with the last process that has the file open, however that ends. Postgres
 * inherits the open file, so a server that outlives its service still keeps others out.
 */
export class FolderLock {
  private constructor(
    /** To be inherited by every process that works on the folder. */
    readonly fd: number,
  ) {}

  /**
   * Stops a server that has outlived its service, if it stands in the way. Nothing in the folder is changed before the
   * lock is taken.
   * @param stopped called when such a server was stopped
   * @throws {DataFolderError} somebody else serves the folder, or its file system has no locks
   */
  static async acquire(folder: string, stopped: () => void = () => undefined): Promise<FolderLock> {
    const path = join(folder, 'service.lock');
    const pgData = join(folder, 'postgres');
    const tryLock = await loadTryLock();
    const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o644);
    try {
      let deadline = Date.now() + PATIENCE_MS;
      while (!locked(tryLock, fd, folder)) {
        // In this order: a server that is seen before its service is known to be dead is that service's, not a successor's.
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

  /** The file stays: whoever removed it could leave two processes with a lock each, on two files of one name. */
  release(): void {
    closeSync(this.fd);
  }
}

type TryLock = (fd: number) => boolean;

/** Loaded only where a folder is locked: a service with DATABASE_URL runs on systems that the package has no binary for. */
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

/** Undefined while somebody writes it, and where an earlier version did. */
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
