import { FastifyAdapter } from '@nestjs/platform-fastify';
import compress from '@fastify/compress';
import type { FastifyInstance, FastifyHttpOptions } from 'fastify';
import { STATUS_CODES, type Server } from 'node:http';
import type { SecureContextOptions } from 'node:tls';
import { constants } from 'node:zlib';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { ErrorCode } from '../../contract/error-code.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { problemOf, PROBLEM_MEDIA_TYPE } from '../problem.js';
import { sendProblem } from '../send-problem.js';
import { transportErrorOf } from '../transport-error-of.js';
import { bodyText } from './written-body.js';
import { requestIdOf } from './request-id.js';
import { UpgradableRequest } from './web-sockets.js';

/** A connection on which nothing moves for so long is closed. */
const SILENT_CONNECTION_MS = 300_000;

/** Bytes of a request's line and headers: the line may hold a scenario, which takes more in an address than as text. */
const LONGEST_HEAD = 128 * 1024;

class ServiceAdapter extends FastifyAdapter {
  /** Nest would put its own handler in the place of ours, and Fastify warn of it. */
  override setErrorHandler(): ReturnType<FastifyAdapter['setErrorHandler']> {
    return this.getInstance();
  }
}

/** Fastify as this service needs it; what hangs on it comes from the `install...` functions beside this file. */
/** @param tls the certificate with its key; without it HTTP is spoken in the clear */
export function fastifyAdapter(tls?: SecureContextOptions): FastifyAdapter {
  const http = { maxHeaderSize: LONGEST_HEAD, IncomingMessage: UpgradableRequest };
  const options: Omit<FastifyHttpOptions<Server>, 'http'> = {
    logger: false,
    requestIdHeader: false,
    genReqId: requestIdOf,
    connectionTimeout: SILENT_CONNECTION_MS,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
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
      socket.end(rawProblem(error.code));
    },
  };
  if (tls === undefined) return new ServiceAdapter({ ...options, http } as FastifyHttpOptions<Server>);
  // Whoever names authorities for clients lets nobody in without a certificate of theirs.
  const https = { ...http, ...tls, requestCert: tls.ca !== undefined, rejectUnauthorized: tls.ca !== undefined };
  return new ServiceAdapter({ ...options, https } as never);
}

/** JSON without loss on the way out, and compressed when it pays. */
export async function installAnswers(fastify: FastifyInstance): Promise<void> {
  fastify.setReplySerializer(bodyText);
  fastify.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-cache');
    reply.header('x-content-type-options', 'nosniff');
    done();
  });
  await fastify.register(compress, {
    threshold: 1024,
    // Brotli at the level that pays for answers made on the spot costs more than the bytes it saves over gzip.
    encodings: ['gzip', 'deflate', 'identity'],
    zlibOptions: { level: constants.Z_BEST_SPEED },
    // Bodies are decompressed by who streams them, within limits.
    globalDecompression: false,
  } as never);
}

/** What cannot even be routed is answered by hand. */
function rawProblem(nodeCode: string): string {
  const [code, message]: [ErrorCode, string] =
    nodeCode === 'HPE_HEADER_OVERFLOW'
      ? ['malformed-http', 'The head of the request is too large.']
      : nodeCode === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['request-timeout', 'The head of the request did not arrive in time.']
        : ['malformed-http', 'What arrived is not an HTTP request.'];
  const problem = problemOf(new ServiceError(code, message), requestIdOf({ headers: {} }));
  const body = stringifyJson(problem);
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    `content-type: ${PROBLEM_MEDIA_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
