import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { destination, pino, type Logger } from 'pino';
import { installEdge } from './api/edge.js';
import { installAccessLog } from './api/http/access-log.js';
import { AllowedMethods } from './api/http/allowed-methods.js';
import { installBodyParser } from './api/http/body-parser.js';
import { installErrorHandler } from './api/http/error-handler.js';
import { installEtag } from './api/http/etag.js';
import { fastifyAdapter, installAnswers } from './api/http/fastify-adapter.js';
import { NestLogger } from './api/nest-logger.js';
import { AppModule } from './app.module.js';
import { Clock, SystemClock } from './app/clock.js';
import { ServiceMetrics } from './app/service-metrics.js';
import type { ServiceConfig } from './config.js';
import { openDatabase, type OpenDatabase } from './storage/open-database.js';

export interface RunningService {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Lets the requests under way end, then closes everything, the embedded Postgres too. */
  close(): Promise<void>;
}

/** The port is taken by somebody else. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';

  constructor(
    readonly host: string,
    readonly port: number,
  ) {
    super(`Port ${port} of ${host} is in use. Set PORT to another one, or to 0 for any that is free.`);
  }
}

/** What a test may want to have otherwise. */
export interface ServiceOverrides {
  readonly clock?: Clock;
  readonly log?: Logger;
}

/**
 * Starts the service: its database, then its doors.
 * @throws {PortInUseError} and whatever `openDatabase` throws; nothing is left running then
 */
export async function startService(config: ServiceConfig, overrides: ServiceOverrides = {}): Promise<RunningService> {
  const log = overrides.log ?? pino({ level: config.logLevel }, destination({ dest: 1, sync: false }));
  const opened = await openDatabase(config.database, (level, message, details) => {
    log[level](details ?? {}, message);
  });
  try {
    const app = await createApp(config, opened, log, overrides.clock ?? new SystemClock());
    return await listen(app, config, opened, log);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function createApp(
  config: ServiceConfig,
  { database }: OpenDatabase,
  log: Logger,
  clock: Clock,
): Promise<NestFastifyApplication> {
  const adapter = fastifyAdapter();
  const fastify = adapter.getInstance<FastifyInstance>();
  const allowedMethods = new AllowedMethods();
  const metrics = new ServiceMetrics();
  // In this order: what is installed first sees every request and every route.
  allowedMethods.watch(fastify);
  installEdge(fastify, clock);
  installAccessLog(fastify, log, metrics);
  await installAnswers(fastify);
  installEtag(fastify);
  installBodyParser(fastify, config.bodyLimit);
  installErrorHandler(fastify, log);
  const foundations = { log, clock, metrics, database, allowedMethods };
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares its options as a class
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.on(foundations), adapter, {
    logger: new NestLogger(log),
    bodyParser: false,
    abortOnError: false,
  });
  await app.init();
  return app;
}

async function listen(
  app: NestFastifyApplication,
  config: ServiceConfig,
  opened: OpenDatabase,
  log: Logger,
): Promise<RunningService> {
  try {
    await app.listen({ port: config.port, host: config.host });
  } catch (error) {
    await app.close();
    const { code } = error as { code?: unknown };
    throw code === 'EADDRINUSE' ? new PortInUseError(config.host, config.port) : error;
  }
  const url = (await app.getUrl()).replace('[::1]', '127.0.0.1');
  log.info({ url }, 'ready');
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    log.info('stopping');
    const patience = setTimeout(() => {
      log.warn('requests were still under way; their connections are closed');
      (app.getHttpServer() as { closeAllConnections(): void }).closeAllConnections();
    }, config.shutdownTimeoutMs);
    await app.close();
    clearTimeout(patience);
    await opened.close();
    log.info('stopped');
  };
  return { url, close: () => (closing ??= close()) };
}
