import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { RequestContext } from '../../app/request-context.js';
import { ServiceMetrics } from '../../app/service-metrics.js';
import { spanIdsOf } from './request-spans.js';

/** Probes and scrapes arrive every few seconds, so they are not logged at the info level. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics']);

/** A request about several clusters has one decision for each. */
const MAX_DECISIONS = 10;

/** One log line and one measurement for each request, without bodies, headers or query parameters. */
export function installAccessLog(fastify: FastifyInstance, log: Logger, metrics: ServiceMetrics): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method, id } = request;
    const route = routeOf(request);
    const ids = spanIdsOf(request);
    const traceId = ids?.sampled === true ? ids.traceId : undefined;
    metrics.observeRequest({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000, traceId);
    const requestContext = request.requestContext as RequestContext | null;
    // The decision id in a response leads to the log line of its request. Data that is not HTTP has no request context.
    const decisionIds = requestContext?.decisionIds ?? [];
    const caller = requestContext?.caller;
    log[QUIET.has(route) ? 'debug' : 'info'](
      {
        requestId: id,
        ...traceOf(request.headers.traceparent),
        ...(ids && { traceId: ids.traceId, spanId: ids.spanId }),
        method,
        path: request.url.split('?', 1)[0]?.slice(0, 300),
        status: reply.statusCode,
        ...(caller === undefined || caller.kind === 'anonymous' ? {} : { caller: caller.name }),
        ...(decisionIds.length === 0 ? {} : { decisionIds: decisionIds.slice(0, MAX_DECISIONS) }),
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
    done();
  });
}

/** The path with its variables; `none` for a path that there is not. */
export const routeOf = (request: FastifyRequest): string =>
  request.is404 ? 'none' : (request.routeOptions.url ?? 'none');

/** https://www.w3.org/TR/trace-context/#traceparent-header; fields that later versions append are ignored. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:$|-)/;

/** The trace that a request belongs to, and its parent span. */
function traceOf(header: string | string[] | undefined): { readonly traceId?: string; readonly parentSpanId?: string } {
  const [, traceId, parentSpanId] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  return traceId === undefined || parentSpanId === undefined ? {} : { traceId, parentSpanId };
}
