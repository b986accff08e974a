import type { IngestError } from '../../ingest/ingest-error.js';
import { refusedBody } from '../errors/refused-body.js';
import type { ErrorDetail, ServiceError } from '../errors/service-error.js';

/** Why a snapshot was refused, for its sender: where it stands, and every bad field of every object up to the cap. */
export function snapshotRefused(error: IngestError): ServiceError {
  const unnamed = error.invalidCount - error.invalid.length;
  const more = unnamed > 0 ? ` The first ${error.invalid.length} of ${error.invalidCount} are named.` : '';
  return refusedBody(error, {
    limit: 'snapshot-limit-exceeded',
    outcome: `Nothing was stored.${more}`,
    ...(error.code === 'invalid-objects' && { details: invalidFields(error) }),
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
