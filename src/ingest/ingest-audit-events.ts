import type { AuditEventRow } from '../core/audit/audit-event-row.js';
import { AuditEventReader } from './audit-event-reader.js';
import { AuditEventSplitter } from './audit-event-splitter.js';
import type { AuditEventsReport } from './audit-events-report.js';
import { type ByteCounts, decompress } from './decompress.js';
import { DEFAULT_INGEST_LIMITS, type IngestLimits } from './ingest-limits.js';
import { checkMediaType, declaresGzip } from './media-type.js';
import { readInBatches } from './read-in-batches.js';

export interface AuditIngestOptions {
  /** The Content-Type of the body. It is only a hint, but a type that cannot contain objects is rejected. */
  readonly contentType?: string | undefined;
  /** The Content-Encoding. gzip is also detected without it. */
  readonly contentEncoding?: string | undefined;
  readonly limits?: Partial<IngestLimits> | undefined;
}

/** An event contains the object twice, in the request and the response; etcd allows 1.5 MiB each by default. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * Reads a stream of audit events in this thread. Yields batches of events about nodes in stream order and returns the report.
 * The limits bound the memory, regardless of the stream's size.
 *
 * @throws IngestError if the stream cannot be read any further; batches yielded before remain valid
 */
export async function* ingestAuditEvents(
  source: AsyncIterable<Uint8Array>,
  options: AuditIngestOptions,
): AsyncGenerator<readonly AuditEventRow[], AuditEventsReport> {
  const limits: IngestLimits = { ...DEFAULT_INGEST_LIMITS, maxItemBytes: MAX_EVENT_BYTES, ...options.limits };
  checkMediaType(options.contentType);
  const counts: ByteCounts = { bytesRead: 0, bytesDecoded: 0 };
  const reader = new AuditEventReader(limits);
  const splitter = new AuditEventSplitter(limits, reader.readEnvelope);
  const last = yield* readInBatches(
    decompress(source, declaresGzip(options.contentEncoding), limits, counts),
    splitter,
    (piece) => reader.read(piece),
  );
  const report = reader.finish(counts.bytesRead, counts.bytesDecoded);
  if (last.length > 0) yield last;
  return report;
}
