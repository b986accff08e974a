import { HttpException } from '@nestjs/common';
import type { ErrorCode } from '../../contract/error-code.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { serviceErrorOf } from '../../app/errors/service-error-of.js';

/**
 * Error codes for the HTTP statuses of errors that Fastify and Nest raise. Their messages describe only the request, so
 * they may be shown. All other errors go to `serviceErrorOf`.
 */
const CODE_OF_STATUS: ReadonlyMap<number, ErrorCode> = new Map([
  [404, 'route-not-found'],
  [408, 'request-timeout'],
  [413, 'body-too-large'],
  [414, 'malformed-url'],
  [415, 'unsupported-media-type'],
]);

/** Like `serviceErrorOf`, and also handles errors of the frameworks. */
export function transportErrorOf(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const { code, statusCode } = thrown as { code?: unknown; statusCode?: unknown };
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return new ServiceError('malformed-url', 'The path is malformed or too long.', { cause: thrown });
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return new ServiceError(
      'unsupported-media-type',
      'The content type is missing or invalid. Send application/json or another type that the operation accepts.',
      { cause: thrown },
    );
  }
  const status = thrown instanceof HttpException ? thrown.getStatus() : fastifyStatus(code, statusCode);
  const known = status === undefined ? undefined : CODE_OF_STATUS.get(status);
  if (known !== undefined) return new ServiceError(known, (thrown as Error).message, { cause: thrown });
  if (status !== undefined && status >= 400 && status < 500) {
    return new ServiceError('malformed-http', (thrown as Error).message, { cause: thrown });
  }
  return serviceErrorOf(thrown);
}

function fastifyStatus(code: unknown, statusCode: unknown): number | undefined {
  return typeof code === 'string' && code.startsWith('FST_') && typeof statusCode === 'number' ? statusCode : undefined;
}
