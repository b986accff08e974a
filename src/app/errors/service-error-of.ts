import { ServiceError } from './service-error.js';

/**
 * Any thrown value as an error that a caller may see. What is not a ServiceError already becomes `database-unavailable`
 * when it tells of a lost or refused connection to Postgres, and `internal` otherwise; the thrown value is its cause.
 */
export function serviceErrorOf(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (tellsOfLostDatabase(thrown)) {
    return new ServiceError('database-unavailable', 'The database cannot be reached. Try again in a moment.', {
      cause: thrown,
      retryAfterSeconds: 2,
    });
  }
  return new ServiceError('internal', 'Something went wrong in the service. The log has the details.', {
    cause: thrown,
  });
}

/** Node's network errors, and SQLSTATEs of Postgres that say "no connection" (class 08), "too many", "shutting down". */
const LOST_DATABASE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOENT',
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);

/** What pg and pg-pool say without a code. */
const LOST_DATABASE_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Driver not Connected|Connection ended)/;

function tellsOfLostDatabase(thrown: unknown, depth = 0): boolean {
  if (!(thrown instanceof Error) || depth > 4) return false;
  const { code, syscall } = thrown as { code?: unknown; syscall?: unknown };
  if (typeof code === 'string') {
    // A missing Unix socket is ENOENT on connect; a missing file is not the database's fault.
    if (LOST_DATABASE_CODES.has(code) && (code !== 'ENOENT' || syscall === 'connect')) return true;
    if (/^08[0-9A-Z]{3}$/.test(code)) return true;
  }
  if (LOST_DATABASE_MESSAGES.test(thrown.message)) return true;
  const { driverError } = thrown as { driverError?: unknown };
  if (thrown instanceof AggregateError) return thrown.errors.some((inner) => tellsOfLostDatabase(inner, depth + 1));
  return tellsOfLostDatabase(driverError, depth + 1) || tellsOfLostDatabase(thrown.cause, depth + 1);
}
