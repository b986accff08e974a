import type { AuditEventRow } from '../core/audit/audit-event-row.js';
import { AuditEventReader } from './audit-event-reader.js';
import { type AuditPiece, AuditEventSplitter } from './audit-event-splitter.js';
import type { AuditEventsReport } from './audit-events-report.js';
import { type ByteCounts, decompress } from './decompress.js';
import { DEFAULT_INGEST_LIMITS, type IngestLimits } from './ingest-limits.js';
import { checkMediaType, declaresGzip } from './media-type.js';
import { Utf8Guard } from './utf8-guard.js';

export interface AuditIngestOptions {
  /** The Content-Type that the body came with: a hint, and refused where it cannot be. */
  readonly contentType?: string | undefined;
  /** The Content-Encoding; gzip is also seen without it. */
  readonly contentEncoding?: string | undefined;
  readonly limits?: Partial<IngestLimits> | undefined;
}

/** An event has the object twice, as it was sent and as it was answered, of which etcd takes 1.5 MiB each by default. */
const MOST_EVENT_BYTES = 16 * 1024 * 1024;
const ROWS_A_BATCH = 500;
const CHARACTERS_A_BATCH = 1024 * 1024;
/** Splitting works on pieces of this size, so that one large chunk does not hold the thread for long. */
const SLICE_BYTES = 1024 * 1024;

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
  const limits: IngestLimits = { ...DEFAULT_INGEST_LIMITS, maxItemBytes: MOST_EVENT_BYTES, ...options.limits };
  checkMediaType(options.contentType);
  const counts: ByteCounts = { bytesRead: 0, bytesDecoded: 0 };
  const reader = new AuditEventReader(limits);
  const splitter = new AuditEventSplitter(limits, reader.readEnvelope);
  const guard = new Utf8Guard();

  let batch: AuditEventRow[] = [];
  let characters = 0;
  function* rowsOf(pieces: Iterable<AuditPiece>): Generator<readonly AuditEventRow[]> {
    for (const piece of pieces) {
      for (const row of reader.read(piece)) {
        batch.push(row);
        characters += row.content.length;
        if (batch.length < ROWS_A_BATCH && characters < CHARACTERS_A_BATCH) continue;
        yield batch;
        batch = [];
        characters = 0;
      }
    }
  }

  for await (const chunk of decompress(source, declaresGzip(options.contentEncoding), limits, counts)) {
    guard.check(chunk);
    for (let from = 0; from < chunk.length; from += SLICE_BYTES) {
      yield* rowsOf(splitter.push(chunk.subarray(from, from + SLICE_BYTES)));
    }
  }
  guard.end();
  yield* rowsOf(splitter.end());
  const report = reader.finish(counts.bytesRead, counts.bytesDecoded);
  if (batch.length > 0) yield batch;
  return report;
}
