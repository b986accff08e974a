import type { Logger } from 'pino';
import type { ServiceError } from '../../app/errors/service-error.js';
import { ERROR_TABLE } from '../errors/error-table.js';

/** Logs the cause of an internal error, which the response does not contain. */
export function logFailure(log: Logger, error: ServiceError, requestId: string): void {
  if (ERROR_TABLE[error.code].status < 500) return;
  log.error({ requestId, code: error.code, err: error.cause ?? error }, error.message);
}
