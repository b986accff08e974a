import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { destination, pino, type Logger } from 'pino';
import { alone } from './app/replica-processes.js';
import { Clock, SystemClock } from './app/clock.js';
import { openSigningKey } from './audit-signing.js';
import { openAuthentication, type Authentication } from './authentication.js';
import type { StartedWith } from './create-app.js';
import type { ServiceConfig } from './config.js';
import { listenErrorOf } from './start-failure.js';
import { activeIds } from './tracing/tracing.js';
import type { RunningTracing } from './tracing/start-tracing.js';
import { VERSION } from './version.js';
import { warmUp } from './warm-up.js';
import { openDatabase } from './storage/open-database.js';
import { type SecureServer, TlsFiles } from './tls.js';
import type { WorkerLink } from './workers/worker-link.js';

export interface RunningService {
  /** URL of the service, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Waits for the requests in progress, then closes everything, including the embedded Postgres. */
  close(): Promise<void>;
}

/** Characters of what a collector answers. */
const MOST_REASON = 500;

/** Dependencies that tests may replace. */
export interface ServiceOverrides {
  readonly clock?: Clock;
  readonly log?: Logger;
  /** Set in a worker, which other processes share a port with: see `start-workers.ts`. */
  readonly worker?: WorkerLink;
}

/**
 * Starts the service: first its database, then the server.
 * @throws {ConfigError} the settings of authentication, the checkpoint key, or TLS are invalid
 * @throws {ListenError} or any error of `openDatabase`; nothing is left running then
 */
export async function startService(config: ServiceConfig, overrides: ServiceOverrides = {}): Promise<RunningService> {
  const log = overrides.log ?? serviceLog(config);
  const authentication = await openAuthentication(config.authentication);
  const signingKey = await openSigningKey(config.auditSigningKeyFile);
  const tls = config.tls && (await TlsFiles.open(config.tls));
  const tracing = await openTracing(config, log);
  try {
    return await start(
      config,
      { ...authentication, signingKey, tls },
      overrides.clock ?? new SystemClock(),
      log,
      tracing,
      overrides.worker,
    );
  } catch (error) {
    await tracing?.stop();
    throw error;
  }
}

/**
 * The log of the service, as JSON on standard output. Lines are written together, after a tenth of a second at most: a write for each
 * request costs as much as a small answer. What is left is written when the process exits.
 */
export const serviceLog = ({ logLevel }: ServiceConfig): Logger =>
  pino({ level: logLevel, mixin: activeIds }, destination({ dest: 1, sync: false, ...TOGETHER }));

/** Worker processes share a pipe, and a write of up to 4,096 bytes stays in one piece (pipe(7), PIPE_BUF). */
const TOGETHER = { minLength: 3 * 1024, maxWrite: 4096, periodicFlush: 100 } as const;

/** Loaded only if it is used. It has to be there before the first connection to the database. */
async function openTracing({ tracing }: ServiceConfig, log: Logger): Promise<RunningTracing | undefined> {
  if (tracing === undefined) return undefined;
  const { startTracing } = await import('./tracing/start-tracing.js');
  log.info({ endpoint: tracing.endpoint, sampler: tracing.sampler }, 'traces are sent');
  return startTracing(tracing, VERSION, (message) => {
    log.warn({ reason: message.slice(0, MOST_REASON) }, 'traces could not be sent');
  });
}

async function start(
  config: ServiceConfig,
  files: Authentication & StartedWith,
  clock: Clock,
  log: Logger,
  tracing: RunningTracing | undefined,
  worker: WorkerLink | undefined,
): Promise<RunningService> {
  // Loading the frameworks takes longer than starting Postgres, so both run in parallel.
  const frameworks = import('./create-app.js');
  frameworks.catch(() => undefined);
  const opened = await openDatabase(config.database, (level, message, details) => {
    log[level](details ?? {}, message);
  });
  try {
    const { createApp } = await frameworks;
    const processes = worker === undefined ? alone() : { counts: worker, metrics: () => worker.allMetrics() };
    const app = await createApp(config, files, opened.database, log, clock, processes);
    await warmUp(app, { ms: config.warmUpMs, now: clock.now(), log });
    const close = async (): Promise<void> => {
      await opened.close();
      await tracing?.stop();
    };
    return await (worker === undefined
      ? listen(app, config, { ...files, close }, log)
      : serveHandedOver(app, config, { ...files, close }, log, worker));
  } catch (error) {
    await opened.close();
    throw error;
  }
}

interface Closing {
  /** Closes what was opened before the application. */
  readonly close: () => Promise<void>;
}

async function listen(
  app: NestFastifyApplication,
  config: ServiceConfig,
  { tls, close: closeRest, ...authentication }: Authentication & Pick<StartedWith, 'tls'> & Closing,
  log: Logger,
): Promise<RunningService> {
  try {
    await app.listen({ port: config.port, host: config.host });
  } catch (error) {
    await app.close();
    throw listenErrorOf(error, config.host, config.port);
  }
  const plain = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  // Nest does not know whether the server uses TLS.
  const url = tls === undefined ? plain : plain.replace(/^http:/, 'https:');
  tls?.follow(app.getHttpServer() as unknown as SecureServer, log);
  log[authentication.level](authentication.message);
  log.info({ url }, 'ready');
  return { url, close: closing(app, config, { tls, close: closeRest }, log) };
}

/** Serves the connections that the parent hands over. The socket that it listens on is for Node, which manages connections only then. */
async function serveHandedOver(
  app: NestFastifyApplication,
  config: ServiceConfig,
  { tls, close: closeRest }: Pick<StartedWith, 'tls'> & Closing,
  log: Logger,
  worker: WorkerLink,
): Promise<RunningService> {
  const folder = await mkdtemp(join(tmpdir(), 'kube-placement-worker-'));
  await app
    .getHttpAdapter()
    .getInstance()
    .listen({ path: join(folder, 'socket') });
  // Nobody connects to it, and a worker that is killed would leave it behind.
  await rm(folder, { recursive: true });
  const { ServiceMetrics } = await import('./app/service-metrics.js');
  const server = app.getHttpServer() as unknown as Server & SecureServer;
  tls?.follow(server, log);
  worker.serve(server, () => app.get(ServiceMetrics).collect());
  return { url: '', close: closing(app, config, { tls, close: closeRest, drained: () => worker.drained() }, log) };
}

/** A function that closes the application, once, after the requests in progress. */
function closing(
  app: NestFastifyApplication,
  { shutdownTimeoutMs }: ServiceConfig,
  rest: Pick<StartedWith, 'tls'> & Closing & { readonly drained?: () => Promise<void> },
  log: Logger,
): () => Promise<void> {
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    log.info('stopping');
    const timeout = setTimeout(() => {
      log.warn('requests were still in progress; their connections are closed');
      (app.getHttpServer() as { closeAllConnections(): void }).closeAllConnections();
    }, shutdownTimeoutMs);
    await app.close();
    await rest.drained?.();
    rest.tls?.stop();
    clearTimeout(timeout);
    await rest.close();
    log.info('stopped');
  };
  return () => (closed ??= close());
}
