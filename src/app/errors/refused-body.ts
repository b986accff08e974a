import { defined } from '../../core/collections/defined.js';
import type { IngestError, IngestErrorCode } from '../../ingest/ingest-error.js';
import type { ErrorCode } from '../../contract/error-code.js';
import { ServiceError, type ErrorDetail } from './service-error.js';

/** The error code for each ingest error; `limit` stands for a code that depends on the kind of body. */
const CODE_OF_INGEST: Readonly<Record<IngestErrorCode, ErrorCode | 'limit'>> = {
  'unsupported-media-type': 'unsupported-media-type',
  'unsupported-content-encoding': 'unsupported-media-type',
  'unsupported-encoding': 'unsupported-text-encoding',
  'malformed-json': 'malformed-json',
  'malformed-yaml': 'malformed-yaml',
  'malformed-gzip': 'malformed-gzip',
  truncated: 'body-incomplete',
  empty: 'body-required',
  status: 'api-server-error',
  'incomplete-list': 'incomplete-list',
  'not-an-object': 'not-an-object',
  'too-deep': 'limit',
  'item-too-large': 'limit',
  'too-many-items': 'limit',
  'too-many-unread': 'limit',
  'too-much-whitespace': 'limit',
  'body-too-large': 'body-too-large',
  'compression-ratio': 'limit',
  'too-many-aliases': 'limit',
  'invalid-objects': 'invalid-object',
  cancelled: 'body-incomplete',
  busy: 'too-many-snapshots',
  'out-of-memory': 'limit',
  'worker-failed': 'internal',
};

const RETRY_AFTER_SECONDS = 5;

/**
 * Converts an ingest error to the error that the client receives.
 *
 * @param told.limit the error code for an exceeded limit
 * @param told.outcome a sentence that says whether anything was stored
 * @param told.details the errors in the body; by default, the place where parsing stopped
 */
export function refusedBody(
  error: IngestError,
  options: { readonly limit: ErrorCode; readonly outcome: string; readonly details?: readonly ErrorDetail[] },
): ServiceError {
  // The error of the source, such as a timeout, is more informative than the cancellation it caused.
  if (error.code === 'cancelled' && error.cause instanceof ServiceError) {
    const { code, message } = error.cause;
    return new ServiceError(code, `${message} ${options.outcome}`, { cause: error.cause });
  }
  const named = CODE_OF_INGEST[error.code];
  const code = named === 'limit' ? options.limit : named;
  if (code === 'internal') {
    return new ServiceError('internal', 'An unexpected error occurred in the service; its log has the details.', {
      cause: error.cause ?? error,
    });
  }
  return new ServiceError(code, `${sentence(error.message)}${place(error)}. ${options.outcome}`, {
    details: options.details ?? [stoppedAt(error)],
    cause: error,
    ...(code === 'too-many-snapshots' ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {}),
  });
}

function stoppedAt(error: IngestError): ErrorDetail {
  const { line, column, offset, item, message } = error;
  return {
    pointer: '',
    code: error.code,
    message,
    ...defined({ line, column, offset, item }),
  };
}

/** ` (line 3, column 7, item 2)`, with the parts that are known and not in the message. */
function place({ line, column, item, message }: IngestError): string {
  const parts = [
    line === undefined || /\bline \d/.test(message) ? '' : `line ${line}`,
    column === undefined || /\bcolumn \d/.test(message) ? '' : `column ${column}`,
    item === undefined ? '' : `item ${item}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, '')}`;
}
