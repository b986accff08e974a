import type { AuditEventRow } from '../core/audit/audit-event-row.js';
import type { AuditEventsReport } from './audit-events-report.js';
import { type AuditIngestOptions, ingestAuditEvents } from './ingest-audit-events.js';
import { type Reading, readInThread } from './read-in-thread.js';

export interface ReadAuditEventsOptions extends AuditIngestOptions {
  /** Aborting it ends the reading with `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** The sender of the stream: senders share the reading threads. */
  readonly sender?: string | undefined;
}

/**
 * Reads audit events of an API server (`audit.k8s.io/v1`) from a stream of bytes: lines of its log file, or the EventLists of
 * its webhook, gzip or not. Yields the events about writes to nodes. Events yielded before an error remain valid, because each
 * event is independent.
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
