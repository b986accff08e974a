import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { destination, pino, type Logger } from 'pino';
import { Clock, SystemClock } from './app/clock.js';
import { openSigningKey } from './audit-signing.js';
import { openAuthentication, type Authentication } from './authentication.js';
import type { StartedWith } from './create-app.js';
import type { ServiceConfig } from './config.js';
import { listenErrorOf } from './start-failure.js';
import { activeIds } from './tracing/tracing.js';
import type { RunningTracing } from './tracing/start-tracing.js';
import { VERSION } from './version.js';
import { openDatabase } from './storage/open-database.js';
import { type SecureServer, TlsFiles } from './tls.js';

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
}

/**
 * Starts the service: first its database, then the server.
 * @throws {ConfigError} the settings of authentication, the checkpoint key, or TLS are invalid
 * @throws {ListenError} or any error of `openDatabase`; nothing is left running then
 */
export async function startService(config: ServiceConfig, overrides: ServiceOverrides = {}): Promise<RunningService> {
  const log =
    overrides.log ?? pino({ level: config.logLevel, mixin: activeIds }, destination({ dest: 1, sync: false }));
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
    );
  } catch (error) {
    await tracing?.stop();
    throw error;
  }
}

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
): Promise<RunningService> {
  // Loading the frameworks takes longer than starting Postgres, so both run in parallel.
  const frameworks = import('./create-app.js');
  frameworks.catch(() => undefined);
  const opened = await openDatabase(config.database, (level, message, details) => {
    log[level](details ?? {}, message);
  });
  try {
    const { createApp } = await frameworks;
    const app = await createApp(config, files, opened.database, log, clock);
    const close = async (): Promise<void> => {
      await opened.close();
      await tracing?.stop();
    };
    return await listen(app, config, { ...files, close }, log);
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
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    log.info('stopping');
    const timeout = setTimeout(() => {
      log.warn('requests were still in progress; their connections are closed');
      (app.getHttpServer() as { closeAllConnections(): void }).closeAllConnections();
    }, config.shutdownTimeoutMs);
    await app.close();
    tls?.stop();
    clearTimeout(timeout);
    await closeRest();
    log.info('stopped');
  };
  return { url, close: () => (closing ??= close()) };
}
