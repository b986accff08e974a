import type { IngestError } from '../../ingest/ingest-error.js';
import { refusedBody } from '../errors/refused-body.js';
import type { ServiceError } from '../errors/service-error.js';
import type { StoredAuditEvents } from './audit-tally.js';

/** Why a body of audit events could not be read to its end, for its sender, and what of it was taken in before that. */
export function auditEventsRefused(error: IngestError, { kept, duplicates, records }: StoredAuditEvents): ServiceError {
  const added = records.reduce((all, { count }) => all + count, 0);
  const outcome =
    kept + duplicates === 0
      ? 'Nothing was stored.'
      : `What came before stays: ${events(kept)} kept, ${events(duplicates)} known already, ` +
        `${added} record${added === 1 ? '' : 's'} added to the trail. Send all of it again: each event is kept once.`;
  return refusedBody(error, { limit: 'audit-events-limit-exceeded', outcome });
}

const events = (count: number): string => (count === 1 ? '1 event' : `${count} events`);
