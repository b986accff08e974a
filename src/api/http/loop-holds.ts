import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { ServiceMetrics } from '../../app/service-metrics.js';
import { LoopMonitor, type Hold } from '../../event-loop/loop-monitor.js';
import { routeOf } from './access-log.js';

/** Shorter holds are only counted, in milliseconds. */
const LOGGED_MS = 200;
/** A log line names at most this many requests. */
const MAX_NAMED = 5;

/** Counts how often the event loop is held, and logs for long holds which requests were under way. */
export function installLoopHolds(fastify: FastifyInstance, log: Logger, metrics: ServiceMetrics): void {
  const clocks = { now: () => performance.now(), processor: processorMs };
  const monitor = new LoopMonitor<FastifyRequest>(clocks, (hold) => {
    metrics.observeLoopHold(hold.ms / 1000);
    if (hold.ms >= LOGGED_MS) log.info(lineOf(hold), 'the event loop was held');
  });
  fastify.addHook('onListen', (done) => {
    monitor.start();
    done();
  });
  fastify.addHook('onClose', (_, done) => {
    monitor.stop();
    done();
  });
  fastify.addHook('onRequest', (request, _, done) => {
    monitor.begin(request);
    done();
  });
  fastify.addHook('onResponse', (request, _, done) => {
    monitor.end(request);
    done();
  });
  fastify.addHook('onRequestAbort', (request, done) => {
    monitor.end(request);
    done();
  });
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const lineOf = ({ ms, processorMs, during }: Hold<FastifyRequest>): object => ({
  heldMs: Math.round(ms),
  processorMs: Math.round(processorMs),
  requests: during.slice(0, MAX_NAMED).map((request) => ({
    requestId: request.id,
    method: request.method,
    route: routeOf(request),
  })),
  moreRequests: Math.max(0, during.length - MAX_NAMED),
});
