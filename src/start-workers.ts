import { fileURLToPath } from 'node:url';
import type { ServiceConfig } from './config.js';
import { listenErrorOf, startFailure } from './start-failure.js';
import { type RunningService, serviceLog, startService } from './start-service.js';
import { openDatabase } from './storage/open-database.js';
import { WorkerFailed } from './workers/worker-failed.js';
import { reportFailure, WorkerLink } from './workers/worker-link.js';
import { WorkerPool } from './workers/worker-pool.js';

/** Tells a process that it is a worker. */
const IS_WORKER = 'KUBE_PLACEMENT_WORKER';
/** What a worker needs at least: connections for loading states, notifications, and requests. */
const LEAST_CONNECTIONS = 4;
const LEAST_STATE_MEMORY_MB = 16;
const MEGABYTE = 1024 * 1024;

/** Whether this process was started by `startWorkers`. */
export const isWorker = (): boolean => process.send !== undefined && process.env[IS_WORKER] !== undefined;

/**
 * Starts the database, then several processes that serve one port: see `WorkerPool`. They share what the settings give to a
 * replica: memory for states, connections to the database, limits of callers.
 *
 * @throws {WorkerFailed} or, as `startService`, any error of `openDatabase`, or {ListenError}; nothing is left running then
 */
export async function startWorkers(config: ServiceConfig): Promise<RunningService> {
  const log = serviceLog(config);
  const opened = await openDatabase({ ...config.database, poolSize: LEAST_CONNECTIONS }, (level, message, details) => {
    log[level](details ?? {}, message);
  });
  const { workers } = config;
  try {
    // The workers have connections of their own.
    await opened.database.dataSource.destroy();
    const share = (whole: number, least: number): string => String(Math.max(least, Math.floor(whole / workers)));
    const environment = {
      ...process.env,
      DATABASE_URL: opened.url,
      DATABASE_POOL_SIZE: share(config.database.poolSize, LEAST_CONNECTIONS),
      STATE_MEMORY_MB: share(config.stateMemoryBytes / MEGABYTE, LEAST_STATE_MEMORY_MB),
    };
    const pool = await WorkerPool.start(
      {
        workers,
        workersPerCluster: config.workersPerCluster,
        program: fileURLToPath(new URL('./main.js', import.meta.url)),
        environment: (index) => ({ ...environment, [IS_WORKER]: String(index) }),
        isEncrypted: config.tls !== undefined,
        shutdownTimeoutMs: config.shutdownTimeoutMs,
        log: (level, details, message) => {
          log[level](details, message);
        },
      },
      config,
    );
    const scheme = config.tls === undefined ? 'http' : 'https';
    const host = config.host.includes(':') ? `[${config.host}]` : config.host;
    const url = `${scheme}://${host}:${pool.port}`;
    log.info({ workers, url }, 'ready');
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      log.info('stopping');
      await pool.stop();
      await opened.close();
      log.info('stopped');
    };
    return { url, close: () => (closed ??= close()) };
  } catch (error) {
    await opened.close();
    throw error instanceof WorkerFailed ? error : listenErrorOf(error, config.host, config.port);
  }
}

/** Starts this process as a worker of `startWorkers`. It ends when its parent says so, or has gone. */
export async function startWorker(config: ServiceConfig): Promise<void> {
  // A terminal sends them to all processes; the parent decides when a worker stops.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
  const stopped = new AbortController();
  const worker = new WorkerLink(() => {
    stopped.abort();
  });
  try {
    const service = await startService(config, { worker });
    const stop = (): void => {
      service.close().then(
        () => process.exit(0),
        () => process.exit(1),
      );
    };
    if (stopped.signal.aborted) stop();
    else stopped.signal.addEventListener('abort', stop);
  } catch (error) {
    await reportFailure(startFailure(error));
    process.exit(1);
  }
}
