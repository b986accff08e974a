import type { ObjectRow } from '../core/cluster/object-row.js';
import { type ByteCounts, decompress } from './decompress.js';
import { DocumentSplitter } from './document-splitter.js';
import { IngestError } from './ingest-error.js';
import { DEFAULT_INGEST_LIMITS, type IngestLimits } from './ingest-limits.js';
import type { IngestReport } from './ingest-report.js';
import { ItemReader } from './item-reader.js';
import { checkMediaType, declaresGzip } from './media-type.js';
import type { Piece } from './piece.js';
import { ReportBuilder } from './report-builder.js';
import { Utf8Guard } from './utf8-guard.js';

export interface IngestOptions {
  /** The Content-Type that the body came with: a hint, and refused where it cannot be. */
  readonly contentType?: string | undefined;
  /** The Content-Encoding; gzip is also seen without it. */
  readonly contentEncoding?: string | undefined;
  /** Whether one invalid object refuses the stream, or what can be decoded of it is kept and reported. */
  readonly invalid: 'refuse' | 'keep';
  readonly limits?: Partial<IngestLimits> | undefined;
}

const ROWS_A_BATCH = 500;
const CHARACTERS_A_BATCH = 1024 * 1024;
/** Splitting works on pieces of this size, so that one large chunk does not hold the thread for long. */
const SLICE_BYTES = 1024 * 1024;

/**
 * Reads a stream of bytes, in this thread: batches of rows come out in the stream's order, the report is returned at the
 * end. Memory is bounded by the limits, not by the stream. Of two rows with one key the later one counts.
 *
 * @param seed any 32 bits, other ones for each stream
 * @throws IngestError for bad input; rows given out before are void
 */
export async function* ingestStream(
  source: AsyncIterable<Uint8Array>,
  options: IngestOptions,
  seed: number,
): AsyncGenerator<readonly ObjectRow[], IngestReport> {
  const limits: IngestLimits = { ...DEFAULT_INGEST_LIMITS, ...options.limits };
  checkMediaType(options.contentType);
  const counts: ByteCounts = { bytesRead: 0, bytesDecoded: 0 };
  const report = new ReportBuilder(limits, seed);
  const reader = new ItemReader(report, limits, options.invalid === 'keep');
  const { readJsonEnvelope, readYamlEnvelope, projector } = reader;
  const splitter = new DocumentSplitter(limits, readJsonEnvelope, readYamlEnvelope, projector);
  const guard = new Utf8Guard();
  const text = decompress(source, declaresGzip(options.contentEncoding), limits, counts);

  let batch: ObjectRow[] = [];
  let characters = 0;
  function* rowsOf(pieces: Iterable<Piece>): Generator<readonly ObjectRow[]> {
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

  for await (const chunk of text) {
    guard.check(chunk);
    for (let from = 0; from < chunk.length; from += SLICE_BYTES) {
      yield* rowsOf(splitter.push(chunk.subarray(from, from + SLICE_BYTES)));
    }
  }
  guard.end();
  yield* rowsOf(splitter.end());
  if (!reader.sawAnything) throw new IngestError('empty', 'the body holds no objects');
  if (report.invalidCount > 0 && options.invalid === 'refuse') throw invalidObjects(report);
  if (batch.length > 0) yield batch;
  return report.finish(counts.bytesRead, counts.bytesDecoded);
}

function invalidObjects(report: ReportBuilder): IngestError {
  const [first] = report.invalidItems;
  const fields = report.invalidCount === 1 ? '1 invalid field' : `${report.invalidCount} invalid fields`;
  return new IngestError('invalid-objects', `the snapshot has ${fields}, in objects that Kubernetes would refuse`, {
    item: first?.item,
    invalid: report.invalidItems,
    invalidCount: report.invalidCount,
  });
}
