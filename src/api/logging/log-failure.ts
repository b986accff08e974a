import type { Logger } from 'pino';
import type { ServiceError } from '../../app/errors/service-error.js';
import { ERROR_TABLE } from '../errors/error-table.js';

/** Logs what the caller is not told: the cause of an error that is the service's own fault. */
export function logFailure(log: Logger, error: ServiceError, requestId: string): void {
  if (ERROR_TABLE[error.code].status < 500) return;
  log.error({ requestId, code: error.code, err: error.cause ?? error }, error.message);
}
