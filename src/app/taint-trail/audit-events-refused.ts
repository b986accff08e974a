import type { IngestError } from '../../ingest/ingest-error.js';
import { refusedBody } from '../errors/refused-body.js';
import type { ServiceError } from '../errors/service-error.js';
import type { StoredAuditEvents } from './audit-tally.js';

/** Converts an ingest error to the error for a body of audit events, with what was stored before it. */
export function auditEventsRefused(error: IngestError, { kept, duplicates, records }: StoredAuditEvents): ServiceError {
  const added = records.reduce((all, { count }) => all + count, 0);
  const outcome =
    kept + duplicates === 0
      ? 'Nothing was stored.'
      : `Already stored: ${events(kept)} kept, ${events(duplicates)} duplicate, ${added} record${added === 1 ? '' : 's'} added ` +
        'to the trail. Send the whole body again: each event is stored once.';
  return refusedBody(error, { limit: 'audit-events-limit-exceeded', outcome });
}

const events = (count: number): string => (count === 1 ? '1 event' : `${count} events`);
