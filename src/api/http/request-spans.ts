import type { FastifyInstance, FastifyRequest } from 'fastify';
import { RequestSpan, type TraceIds } from '../../tracing/tracing.js';

const spans = new WeakMap<FastifyRequest, RequestSpan>();

/** The ids of the request's span; undefined if it has none. */
export const spanIdsOf = (request: FastifyRequest): TraceIds | undefined => spans.get(request)?.ids;

/** Probes and scrapes arrive every few seconds. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * A span for each request, from its headers to the last byte of its answer, in the trace that the header `traceparent` names.
 * The query is not in it: it may hold taint values.
 *
 * Source of the names: OpenTelemetry semantic conventions 1.33, HTTP server spans.
 */
export function installRequestSpans(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const route = request.is404 ? undefined : request.routeOptions.url;
    if (route !== undefined && UNTRACED.has(route)) {
      done();
      return;
    }
    const span = RequestSpan.begin(
      route === undefined ? request.method : `${request.method} ${route}`,
      request.headers,
      {
        'http.request.method': request.method,
        ...(route !== undefined && { 'http.route': route }),
        'url.path': request.url.split('?', 1)[0]!.slice(0, 300),
        'url.scheme': request.protocol,
        'client.address': request.ip,
      },
    );
    if (span === undefined) {
      done();
      return;
    }
    spans.set(request, span);
    span.run(done);
  });
  // Whoever reads a body is called by the connection, which knows no request.
  fastify.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.run(done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    spans.get(request)?.end(reply.raw.headersSent ? reply.statusCode : undefined);
    done();
  });
}
