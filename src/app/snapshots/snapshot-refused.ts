import type { IngestError } from '../../ingest/ingest-error.js';
import { refusedBody } from '../errors/refused-body.js';
import type { ErrorDetail, ServiceError } from '../errors/service-error.js';

/**
 * Converts an ingest error to the error of a rejected snapshot, with every invalid field of every object up to a limit.
 */
export function snapshotRefused(error: IngestError): ServiceError {
  const unnamed = error.invalidCount - error.invalid.length;
  const more =
    unnamed > 0
      ? ` The errors of the first ${error.invalid.length} of ${error.invalidCount} invalid objects are listed.`
      : '';
  return refusedBody(error, {
    limit: 'snapshot-limit-exceeded',
    outcome: `Nothing was stored.${more}`,
    ...(error.code === 'invalid-objects' && { details: invalidFields(error) }),
  });
}

/** Pointers are relative to the object: the stream need not be a single JSON document. */
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
