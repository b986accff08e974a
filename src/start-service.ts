import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { destination, pino, type Logger } from 'pino';
import { Clock, SystemClock } from './app/clock.js';
import { openSigningKey } from './audit-signing.js';
import { openAuthentication, type Authentication } from './authentication.js';
import type { ServiceConfig } from './config.js';
import { listenErrorOf } from './start-failure.js';
import { openDatabase, type OpenDatabase } from './storage/open-database.js';
import { type SecureServer, TlsFiles } from './tls.js';

export interface RunningService {
  /** URL of the service, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Waits for the requests in progress, then closes everything, including the embedded Postgres. */
  close(): Promise<void>;
}

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
  const log = overrides.log ?? pino({ level: config.logLevel }, destination({ dest: 1, sync: false }));
  const authentication = await openAuthentication(config.authentication);
  const signingKey = await openSigningKey(config.auditSigningKeyFile);
  const tls = config.tls && (await TlsFiles.open(config.tls));
  // Loading the frameworks takes longer than starting Postgres, so both run in parallel.
  const frameworks = import('./create-app.js');
  frameworks.catch(() => undefined);
  const opened = await openDatabase(config.database, (level, message, details) => {
    log[level](details ?? {}, message);
  });
  try {
    const { createApp } = await frameworks;
    const app = await createApp(
      config,
      { ...authentication, signingKey, tls },
      opened.database,
      log,
      overrides.clock ?? new SystemClock(),
    );
    return await listen(app, config, opened, { ...authentication, tls }, log);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function listen(
  app: NestFastifyApplication,
  config: ServiceConfig,
  opened: OpenDatabase,
  { tls, ...authentication }: Authentication & { readonly tls: TlsFiles | undefined },
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
    await opened.close();
    log.info('stopped');
  };
  return { url, close: () => (closing ??= close()) };
}
