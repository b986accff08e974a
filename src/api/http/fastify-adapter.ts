import { FastifyAdapter } from '@nestjs/platform-fastify';
import compress from '@fastify/compress';
import type { FastifyInstance, FastifyHttpOptions } from 'fastify';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { SecureContextOptions } from 'node:tls';
import { constants } from 'node:zlib';
import { sendProblem } from '../errors/send-problem.js';
import { transportErrorOf } from '../errors/transport-error-of.js';
import { bodyOf } from './written-body.js';
import { type RawProblem, rawProblem, rawResponse } from './raw-problem.js';
import { requestIdOf } from './request-id.js';
import { UpgradableRequest } from './web-sockets.js';

/** A connection without traffic for this long is closed. */
const SILENT_CONNECTION_MS = 300_000;

/** Maximum bytes of the request line and headers. The line may contain a scenario, which URL encoding makes longer. */
const MAX_HEADER_BYTES = 128 * 1024;

/** At 2 it takes two to four times as long, for a tenth of the bytes less. */
const BROTLI_QUALITY = 1;

/** Answers of at most so many bytes are compressed in one call, of some 2 ms at most: a stream takes a few times as long. */
const MAX_SYNC_BYTES = 1024 * 1024;

class ServiceAdapter extends FastifyAdapter {
  /** Nest would replace the service's error handler, and Fastify would warn about it. */
  override setErrorHandler(): ReturnType<FastifyAdapter['setErrorHandler']> {
    return this.getInstance();
  }
}

export interface AdapterOptions {
  /** Certificate and key; absent: plain HTTP. */
  readonly tls?: SecureContextOptions | undefined;
  /** Addresses of proxies whose X-Forwarded headers are trusted; absent: none. */
  readonly trustProxy?: readonly string[] | undefined;
  /** Path prefix of the service, such as `/placement`; empty: none. */
  readonly basePath: string;
}

/** Fastify configured for this service; the `install...` functions in this folder add to it. */
export function fastifyAdapter({ tls, trustProxy, basePath }: AdapterOptions): FastifyAdapter {
  // A request without a Host header is rejected with an error message, see cross-site-guard.ts.
  const http = { maxHeaderSize: MAX_HEADER_BYTES, IncomingMessage: UpgradableRequest, requireHostHeader: false };
  const options: Omit<FastifyHttpOptions<Server>, 'http'> = {
    logger: false,
    requestIdHeader: false,
    genReqId: requestIdOf,
    connectionTimeout: SILENT_CONNECTION_MS,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    // What comes over a kept connection while the service stops is answered: a balancer has not heard yet that it stops.
    return503OnClosing: false,
    trustProxy: trustProxy === undefined ? false : [...trustProxy],
    rewriteUrl: ({ url = '/' }) => withoutBase(url, basePath),
    // Longer than any name, so that a name that is too long gets an error message and not an unknown route.
    routerOptions: { maxParamLength: 2000 },
    frameworkErrors: (error, _request, reply) => {
      sendProblem(reply, transportErrorOf(error));
    },
    clientErrorHandler: (error, socket) => {
      if (!socket.writable || error.code === 'ECONNRESET') {
        socket.destroy();
        return;
      }
      socket.end(rawResponse(clientProblem(error.code)));
    },
  };
  if (tls === undefined) return new ServiceAdapter({ ...options, http } as FastifyHttpOptions<Server>);
  // If client CAs are configured, clients need a certificate from one of them.
  const https = { ...http, ...tls, requestCert: tls.ca !== undefined, rejectUnauthorized: tls.ca !== undefined };
  return new ServiceAdapter({ ...options, https } as never);
}

/** A proxy may remove its prefix from the path, or keep it. */
function withoutBase(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest.startsWith('/') ? rest : url;
}

/** Serializes JSON without loss of precision, and compresses responses if it pays off. */
export async function installAnswers(fastify: FastifyInstance, basePath = ''): Promise<void> {
  fastify.decorate('basePath', basePath);
  if (basePath !== '') {
    fastify.addHook('onSend', (_request, reply, _payload, done) => {
      const location = reply.getHeader('location');
      if (typeof location === 'string' && location.startsWith('/')) reply.header('location', basePath + location);
      done();
    });
  }
  fastify.server.on('checkExpectation', refuseExpectation);
  fastify.setReplySerializer(bodyOf as (payload: unknown) => string);
  fastify.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-cache');
    reply.header('x-content-type-options', 'nosniff');
    done();
  });
  await fastify.register(compress, {
    threshold: 1024,
    syncThreshold: MAX_SYNC_BYTES,
    // Of those that a caller likes equally the first. A placement on 5,000 nodes by groups (310 KB) takes 16 KB and 0.3 ms with
    // brotli at this quality, and 24 KB and 0.6 ms with gzip at its quickest. Node has zstd from 22.15 on; where it lacks it, it
    // is left out.
    encodings: ['br', 'zstd', 'gzip', 'deflate', 'identity'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
    zlibOptions: { level: constants.Z_BEST_SPEED },
    // Bodies are decompressed by the handlers that stream them, within limits.
    globalDecompression: false,
  } as never);
}

/** The response to a request that cannot be routed. */
function clientProblem(nodeCode: string): RawProblem {
  if (nodeCode === 'HPE_HEADER_OVERFLOW')
    return rawProblem('malformed-http', 'The headers of the request are too large.');
  return nodeCode === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? rawProblem('request-timeout', 'The headers of the request did not arrive in time.')
    : rawProblem('malformed-http', 'The data received is not an HTTP request.');
}

/** Node would respond without a body. */
function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const expected = JSON.stringify((request.headers.expect ?? '').slice(0, 100));
  const { status, headers, body } = rawProblem(
    'expectation-failed',
    `The service does not support the expectation ${expected}. Omit the Expect header.`,
  );
  response.writeHead(status, headers).end(body);
}
