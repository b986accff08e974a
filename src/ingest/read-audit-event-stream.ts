import type { AuditEventRow } from '../core/audit/audit-event-row.js';
import type { AuditEventsReport } from './audit-events-report.js';
import { type AuditIngestOptions, ingestAuditEvents } from './ingest-audit-events.js';
import { type Reading, readInThread } from './read-in-thread.js';

export interface ReadAuditEventsOptions extends AuditIngestOptions {
  /** Aborting ends the reading with `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** Whoever sends it: senders share the threads that read. */
  readonly sender?: string | undefined;
}

/**
 * Reads the audit events of an API server from a stream of bytes: lines of its log file, or the EventLists that its webhook
 * sends, gzip or not; of `audit.k8s.io/v1`. Given out are those about writes to nodes. What was given out before an error
 * stands: each event says what it says alone.
 */
export function readAuditEventStream(
  source: AsyncIterable<Uint8Array>,
  given: ReadAuditEventsOptions,
): Reading<AuditEventRow, AuditEventsReport> {
  const { contentType, contentEncoding, limits } = given;
  const options = { contentType, contentEncoding, limits };
  return readInThread(
    source,
    {
      task: { kind: 'audit-events', options },
      sender: given.sender ?? '',
      inThisThread: (chunks) => ingestAuditEvents(chunks, options),
      unpack: (sent) => sent as readonly AuditEventRow[],
    },
    given.signal,
  );
}
