import { STATUS_CODES } from 'node:http';
import { stringifyJson } from '../../core/json/lossless-json.js';
import type { ErrorCode } from '../../contract/error-code.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { problemOf, PROBLEM_MEDIA_TYPE } from '../errors/problem.js';
import { requestIdOf } from './request-id.js';

export interface RawProblem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** The response to requests that Node rejects before Fastify receives them; it closes the connection. */
export function rawProblem(code: ErrorCode, message: string): RawProblem {
  const problem = problemOf(new ServiceError(code, message), requestIdOf({ headers: {} }));
  const body = stringifyJson(problem);
  return {
    status: problem.status,
    headers: {
      'content-type': PROBLEM_MEDIA_TYPE,
      'content-length': Buffer.byteLength(body),
      'x-request-id': problem.requestId,
      'cache-control': 'no-store',
      connection: 'close',
    },
    body,
  };
}

/** The response as raw bytes for a socket. */
export function rawResponse({ status, headers, body }: RawProblem): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n');
}
