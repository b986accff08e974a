import { FastifyAdapter } from '@nestjs/platform-fastify';
import compress from '@fastify/compress';
import type { FastifyInstance, FastifyHttpOptions } from 'fastify';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { SecureContextOptions } from 'node:tls';
import { constants } from 'node:zlib';
import { sendProblem } from '../errors/send-problem.js';
import { transportErrorOf } from '../errors/transport-error-of.js';
import { bodyText } from './written-body.js';
import { type RawProblem, rawProblem, rawResponse } from './raw-problem.js';
import { requestIdOf } from './request-id.js';
import { UpgradableRequest } from './web-sockets.js';

/** A connection on which nothing moves for so long is closed. */
const SILENT_CONNECTION_MS = 300_000;

/** Bytes of a request's line and headers: the line may hold a scenario, which takes more in an address than as text. */
const LONGEST_HEAD = 128 * 1024;

/** From 4 on it takes longer than gzip, for few bytes less. */
const BROTLI_QUALITY = 2;

class ServiceAdapter extends FastifyAdapter {
  /** Nest would put its own handler in the place of ours, and Fastify warn of it. */
  override setErrorHandler(): ReturnType<FastifyAdapter['setErrorHandler']> {
    return this.getInstance();
  }
}

export interface AdapterOptions {
  /** The certificate with its key; absent: HTTP in the clear. */
  readonly tls?: SecureContextOptions | undefined;
  /** Addresses of proxies whose X-Forwarded headers are believed; absent: none. */
  readonly trustProxy?: readonly string[] | undefined;
  /** The path that the service is reached under, such as `/placement`; empty: none. */
  readonly basePath: string;
}

/** Fastify as this service needs it; what hangs on it comes from the `install...` functions beside this file. */
export function fastifyAdapter({ tls, trustProxy, basePath }: AdapterOptions): FastifyAdapter {
  // A request without a Host is refused in words, see cross-site-guard.ts.
  const http = { maxHeaderSize: LONGEST_HEAD, IncomingMessage: UpgradableRequest, requireHostHeader: false };
  const options: Omit<FastifyHttpOptions<Server>, 'http'> = {
    logger: false,
    requestIdHeader: false,
    genReqId: requestIdOf,
    connectionTimeout: SILENT_CONNECTION_MS,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    trustProxy: trustProxy === undefined ? false : [...trustProxy],
    rewriteUrl: ({ url = '/' }) => withoutBase(url, basePath),
    // Longer than any name, so that a long one is refused in words and not as an unknown route.
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
  // Whoever names authorities for clients lets nobody in without a certificate of theirs.
  const https = { ...http, ...tls, requestCert: tls.ca !== undefined, rejectUnauthorized: tls.ca !== undefined };
  return new ServiceAdapter({ ...options, https } as never);
}

/** A proxy may take its prefix off a path, or leave it. */
function withoutBase(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest.startsWith('/') ? rest : url;
}

/** JSON without loss on the way out, and compressed when it pays. */
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
  fastify.setReplySerializer(bodyText);
  fastify.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-cache');
    reply.header('x-content-type-options', 'nosniff');
    done();
  });
  await fastify.register(compress, {
    threshold: 1024,
    // Of those that a caller likes equally the first. A page of 1,000 nodes (693 KB) takes 33 KB and 4 ms with brotli at this
    // quality, and 41 KB and 6 ms with gzip at its quickest. Node has zstd from 22.15 on; where it lacks it, it is left out.
    encodings: ['br', 'zstd', 'gzip', 'deflate', 'identity'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
    zlibOptions: { level: constants.Z_BEST_SPEED },
    // Bodies are decompressed by who streams them, within limits.
    globalDecompression: false,
  } as never);
}

/** What cannot even be routed is answered by hand. */
function clientProblem(nodeCode: string): RawProblem {
  if (nodeCode === 'HPE_HEADER_OVERFLOW') return rawProblem('malformed-http', 'The head of the request is too large.');
  return nodeCode === 'ERR_HTTP_REQUEST_TIMEOUT'
    ? rawProblem('request-timeout', 'The head of the request did not arrive in time.')
    : rawProblem('malformed-http', 'What arrived is not an HTTP request.');
}

/** Node would answer without a body. */
function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const expected = JSON.stringify((request.headers.expect ?? '').slice(0, 100));
  const { status, headers, body } = rawProblem(
    'expectation-failed',
    `The service cannot meet the expectation ${expected}.`,
  );
  response.writeHead(status, headers).end(body);
}
