import type { IngestError, IngestErrorCode } from '../../ingest/ingest-error.js';
import type { ErrorCode } from '../errors/error-code.js';
import { ServiceError, type ErrorDetail } from '../errors/service-error.js';

/** What each refusal of ingest is called outside. */
const CODE_OF_INGEST: Readonly<Record<IngestErrorCode, ErrorCode>> = {
  'unsupported-media-type': 'unsupported-media-type',
  'unsupported-content-encoding': 'unsupported-media-type',
  'unsupported-encoding': 'unsupported-text-encoding',
  'malformed-json': 'malformed-json',
  'malformed-yaml': 'malformed-yaml',
  'malformed-gzip': 'malformed-gzip',
  truncated: 'body-incomplete',
  empty: 'body-required',
  'not-an-object': 'not-an-object',
  'too-deep': 'snapshot-limit-exceeded',
  'item-too-large': 'snapshot-limit-exceeded',
  'too-many-items': 'snapshot-limit-exceeded',
  'too-much-whitespace': 'snapshot-limit-exceeded',
  'body-too-large': 'body-too-large',
  'compression-ratio': 'snapshot-limit-exceeded',
  'too-many-aliases': 'snapshot-limit-exceeded',
  'invalid-objects': 'invalid-object',
  cancelled: 'body-incomplete',
  busy: 'too-many-snapshots',
  'out-of-memory': 'snapshot-limit-exceeded',
  'worker-failed': 'internal',
};

const RETRY_AFTER_SECONDS = 5;

/** Why a stream was refused, for its sender: where it stands, and every bad field of every object up to the cap. */
export function snapshotRefused(error: IngestError): ServiceError {
  // What the source itself complained of, such as a silent sender, is more than that it stopped.
  if (error.code === 'cancelled' && error.cause instanceof ServiceError) return error.cause;
  const code = CODE_OF_INGEST[error.code];
  if (code === 'internal') {
    return new ServiceError('internal', 'Something went wrong in the service; its log has the details.', {
      cause: error.cause ?? error,
    });
  }
  const unnamed = error.invalidCount - error.invalid.length;
  const more = unnamed > 0 ? ` The first ${error.invalid.length} of ${error.invalidCount} are named.` : '';
  return new ServiceError(code, `${sentence(error.message)}${place(error)}. Nothing was stored.${more}`, {
    details: error.code === 'invalid-objects' ? invalidFields(error) : [stoppedAt(error)],
    cause: error,
    ...(code === 'too-many-snapshots' ? { retryAfterSeconds: RETRY_AFTER_SECONDS } : {}),
  });
}

/** Pointers lead into the object that is named beside them: the stream as a whole need not be one JSON document. */
function invalidFields(error: IngestError): ErrorDetail[] {
  return error.invalid.map(({ item, kind, namespace, name, pointer, field, type, message }) => ({
    pointer,
    field,
    code: type,
    message,
    item,
    kind,
    ...(namespace === '' ? {} : { namespace }),
    name,
  }));
}

function stoppedAt(error: IngestError): ErrorDetail {
  const { line, column, offset, item, message } = error;
  return {
    pointer: '',
    code: error.code,
    message,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(offset === undefined ? {} : { offset }),
    ...(item === undefined ? {} : { item }),
  };
}

/** ` (line 3, column 7, item 2)`, as far as it is known and not said already. */
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
