import type { AuditEventRow } from '../core/audit/audit-event-row.js';
import { AuditEventReader } from './audit-event-reader.js';
import { AuditEventSplitter } from './audit-event-splitter.js';
import type { AuditEventsReport } from './audit-events-report.js';
import { type ByteCounts, decompress } from './decompress.js';
import { DEFAULT_INGEST_LIMITS, type IngestLimits } from './ingest-limits.js';
import { checkMediaType, declaresGzip } from './media-type.js';
import { readInBatches } from './read-in-batches.js';

export interface AuditIngestOptions {
  /** The Content-Type that the body came with: a hint, and refused where it cannot be. */
  readonly contentType?: string | undefined;
  /** The Content-Encoding; gzip is also seen without it. */
  readonly contentEncoding?: string | undefined;
  readonly limits?: Partial<IngestLimits> | undefined;
}

/** An event has the object twice, as it was sent and as it was answered, of which etcd takes 1.5 MiB each by default. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

/**
 * Reads a stream of audit events, in this thread: batches of those about nodes come out in the stream's order, the report
 * is returned at the end. Memory is bounded by the limits, not by the stream.
 *
 * @throws IngestError for a stream that cannot be read on; what was given out before stands
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
