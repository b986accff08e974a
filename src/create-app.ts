import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import { CONTROLLERS } from './api/rest/controllers.js';
import { installRequestSpans } from './api/http/request-spans.js';
import { installRequestContext } from './api/http/request-context.decorator.js';
import { installAccessLog } from './api/http/access-log.js';
import { AllowedMethods } from './api/http/allowed-methods.js';
import { installAnswerLimit } from './api/http/response-limit.js';
import { installBodyParser } from './api/http/body-parser.js';
import { type CrossSiteSettings, installCrossSiteGuard } from './api/http/cross-site-guard.js';
import { installAuthHook } from './api/http/auth-hook.js';
import { installCallerQueues } from './api/http/caller-queues.js';
import { installErrorHandler } from './api/http/error-handler.js';
import { installEtag } from './api/http/etag.js';
import { fastifyAdapter, installAnswers } from './api/http/fastify-adapter.js';
import { HostCheck } from './api/http/host-check.js';
import { installLongBodies } from './api/http/long-bodies.js';
import { installLoopHolds } from './api/http/loop-holds.js';
import { installPageLinks } from './api/http/page-links.js';
import { idempotencyHooks } from './api/http/idempotency.js';
import { RateLimits } from './api/http/rate-limits.js';
import { installSparseAnswers } from './api/http/sparse-responses.js';
import { installUploads } from './api/http/uploads.js';
import { installWebSockets } from './api/http/web-sockets.js';
import { installMasking } from './api/masking/install-masking.js';
import { NestLogger } from './api/logging/nest-logger.js';
import { installRouteAccess } from './api/access/route-access.js';
import { AppModule } from './app.module.js';
import type { Clock } from './app/clock.js';
import { BrowserSessions } from './api/session/browser-sessions.js';
import { SessionCookies } from './api/session/session-cookies.js';
import { Sessions } from './app/sessions/sessions.js';
import { StreamTickets } from './app/live/stream-tickets.js';
import type { ReplicaProcesses } from './app/replica-processes.js';
import { ServiceMetrics } from './app/service-metrics.js';
import type { Authentication } from './authentication.js';
import type { ServiceConfig } from './config.js';
import type { Database } from './storage/database.js';
import { IdempotencyStore } from './storage/idempotency-store.js';
import { SessionStore } from './storage/session-store.js';
import { StreamTicketStore } from './storage/stream-ticket-store.js';
import { VERSION } from './version.js';
import { NoCertificates, type TlsFiles } from './tls.js';

/** Files that were loaded before the application is created. */
export interface StartedWith {
  readonly signingKey: KeyObject | undefined;
  /** Absent: plain HTTP. */
  readonly tls: TlsFiles | undefined;
}

/** Creates the application with all its routes, ready to listen. */
export async function createApp(
  config: ServiceConfig,
  { authenticator, login, signingKey, tls }: Authentication & StartedWith,
  database: Database,
  log: Logger,
  clock: Clock,
  processes: ReplicaProcesses,
): Promise<NestFastifyApplication> {
  const adapter = fastifyAdapter({
    tls: tls?.material,
    trustProxy: config.web.trustProxy,
    basePath: basePathOf(config),
  });
  const fastify = adapter.getInstance<FastifyInstance>();
  const allowedMethods = new AllowedMethods();
  const metrics = new ServiceMetrics(processes.metrics);
  // The order matters: hooks that are installed first handle every request and every route.
  allowedMethods.watch(fastify);
  if (config.tracing !== undefined) installRequestSpans(fastify);
  installRequestContext(fastify, clock);
  installAccessLog(fastify, log, metrics);
  installLoopHolds(fastify, log, metrics);
  const idempotency = idempotencyHooks({ store: new IdempotencyStore(database), controllers: CONTROLLERS, log, clock });
  fastify.addHook('onSend', idempotency.onSend);
  await installAnswers(fastify, basePathOf(config));
  await installWebSockets(fastify, config.live, processes.counts);
  installCrossSiteGuard(fastify, crossSiteSettings(config), allowedMethods);
  const { metricsOpen } = config.authentication;
  const limits =
    config.rateLimit === 0 ? undefined : await RateLimits.install(fastify, config.rateLimit, processes.counts);
  const tickets = new StreamTickets(new StreamTicketStore(database));
  const browsers = browserSessions(config, { authenticator, login }, database);
  installAuthHook(fastify, { authenticator, limits, metricsOpen, log, clock, tickets, browsers });
  installRouteAccess(fastify, CONTROLLERS);
  installUploads(fastify, config.uploads, processes.counts);
  installPageLinks(fastify);
  installEtag(fastify, VERSION);
  installAnswerLimit(fastify);
  installMasking(fastify);
  installSparseAnswers(fastify);
  installLongBodies(fastify);
  installBodyParser(fastify, config.bodyLimit);
  installCallerQueues(fastify);
  fastify.addHook('preHandler', idempotency.preHandler);
  installErrorHandler(fastify, log);
  const foundations = {
    config,
    log,
    clock,
    metrics,
    database,
    processes,
    allowedMethods,
    signingKey,
    browsers,
    certificates: tls ?? new NoCertificates(),
  };
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares its options as a class
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.on(foundations), adapter, {
    logger: new NestLogger(log),
    bodyParser: false,
    abortOnError: false,
  });
  await app.init();
  return app;
}

function browserSessions(
  { authentication }: ServiceConfig,
  { authenticator, login }: { readonly [Part in 'authenticator' | 'login']: Authentication[Part] | undefined },
  database: Database,
): BrowserSessions | undefined {
  if (authenticator === undefined || login === undefined || authentication.login === undefined) return undefined;
  const { publicUrl, sessionSeconds } = authentication.login;
  const sessions = new Sessions(new SessionStore(database), sessionSeconds);
  const cookies = new SessionCookies(new URL(publicUrl).protocol === 'https:');
  return new BrowserSessions(login, sessions, cookies, authenticator);
}

/** Path prefix of the service; empty if it has none. */
function basePathOf({ web: { publicUrl } }: ServiceConfig): string {
  return publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
}

/**
 * With authentication, any host name is accepted unless some are listed: a page that uses DNS rebinding has no token.
 */
function crossSiteSettings({ host, web, authentication }: ServiceConfig): CrossSiteSettings {
  const { allowedHosts, allowedOrigins, publicUrl } = web;
  const known = publicUrl === undefined ? undefined : new URL(publicUrl);
  const anyHost = authentication.mode === 'required' && allowedHosts === undefined;
  return {
    hosts: anyHost
      ? undefined
      : new HostCheck({ bound: host, allowed: allowedHosts ?? [], publicHost: known?.hostname }),
    allowedOrigins,
    publicOrigin: known?.origin,
  };
}
