import type { ObjectRow, SnapshotRow } from '../core/cluster/object-row.js';
import { type ByteCounts, decompress } from './decompress.js';
import { DocumentSplitter } from './document-splitter.js';
import { IngestError } from './ingest-error.js';
import { DEFAULT_INGEST_LIMITS, type IngestLimits } from './ingest-limits.js';
import type { IngestReport } from './ingest-report.js';
import type { ItemMemos } from './item-memo.js';
import { ItemReader } from './item-reader.js';
import { type Comparison, ItemProjector } from './item-projector.js';
import { KnownHashes } from './known-hashes.js';
import { checkMediaType, declaresGzip } from './media-type.js';
import { ReportBuilder } from './report-builder.js';
import { readInBatches } from './read-in-batches.js';

export interface IngestOptions {
  /** The Content-Type of the body. It is only a hint, but a type that cannot contain objects is rejected. */
  readonly contentType?: string | undefined;
  /** The Content-Encoding. gzip is also detected without it. */
  readonly contentEncoding?: string | undefined;
  /** Whether an invalid object rejects the stream, or is reported while its decodable part is kept. */
  readonly invalid: 'refuse' | 'keep';
  readonly limits?: Partial<IngestLimits> | undefined;
}

/**
 * Reads a stream of bytes in this thread. Yields batches of rows in stream order and returns the report. The limits bound the
 * memory, regardless of the stream's size. Of several rows with the same key, the last counts.
 *
 * @param seed any 32 bits, different for each stream
 * @throws IngestError for invalid input; rows yielded before must be discarded
 */
export function ingestStream(
  source: AsyncIterable<Uint8Array>,
  options: IngestOptions,
  seed: number,
): AsyncGenerator<readonly ObjectRow[], IngestReport> {
  const projector = new ItemProjector(limitsOf(options));
  // Only what is compared has other rows than whole ones.
  return readStream(source, options, seed, projector) as AsyncGenerator<readonly ObjectRow[], IngestReport>;
}

/** Projectors without a stream. What they have compiled takes longer than to read a few objects with it. */
const spare: ItemProjector[] = [];
const MOST_SPARE = 4;

/** The same for a stream of a few objects, of which there are many. */
export async function* ingestSmall(
  source: AsyncIterable<Uint8Array>,
  options: Omit<IngestOptions, 'limits'>,
  seed: number,
): AsyncGenerator<readonly ObjectRow[], IngestReport> {
  const projector = spare.pop() ?? new ItemProjector(DEFAULT_INGEST_LIMITS);
  const report = yield* readStream(source, options, seed, projector) as AsyncGenerator<
    readonly ObjectRow[],
    IngestReport
  >;
  if (spare.length < MOST_SPARE) spare.push(projector);
  return report;
}

/** What a stream is a new version of. */
export interface StreamBase {
  /** The hashes of the objects of a state, one after another. */
  readonly hashes: Uint8Array;
  /** Equal for streams that have the same objects in the same order, except for what has changed. */
  readonly series: string;
}

/** Reads a stream as `ingestStream` does, except that rows whose hash the base has are `UnchangedRow`s, and most others `EncodedRow`s. */
export async function* ingestNext(
  source: AsyncIterable<Uint8Array>,
  options: IngestOptions,
  seed: number,
  base: StreamBase,
  memos: ItemMemos,
): AsyncGenerator<readonly SnapshotRow[], IngestReport> {
  // Limits decide what is refused, so what was read with others says nothing.
  const series = JSON.stringify([base.series, options.limits]);
  const comparing = (comparison: Comparison): ItemProjector => new ItemProjector(limitsOf(options), comparison);
  const known = new KnownHashes(base.hashes);
  // The first of a series need not be the first of many, and remembering takes time.
  if (base.hashes.length === 0) return yield* readStream(source, options, seed, comparing({ known }));
  const memo = memos.open(series);
  let isRead = false;
  try {
    const report = yield* readStream(source, options, seed, comparing({ known, memo }));
    isRead = true;
    return report;
  } finally {
    if (isRead) memos.keep(series, memo);
    else memos.drop(memo);
  }
}

const limitsOf = ({ limits }: IngestOptions): IngestLimits => ({ ...DEFAULT_INGEST_LIMITS, ...limits });

async function* readStream(
  source: AsyncIterable<Uint8Array>,
  options: IngestOptions,
  seed: number,
  projector: ItemProjector,
): AsyncGenerator<readonly SnapshotRow[], IngestReport> {
  const limits = limitsOf(options);
  checkMediaType(options.contentType);
  const counts: ByteCounts = { bytesRead: 0, bytesDecoded: 0 };
  const report = new ReportBuilder(limits, seed);
  const reader = new ItemReader(report, limits, options.invalid === 'keep', projector);
  const { readJsonEnvelope, readYamlEnvelope } = reader;
  const splitter = new DocumentSplitter(limits, readJsonEnvelope, readYamlEnvelope, projector);
  const text = decompress(source, declaresGzip(options.contentEncoding), limits, counts);
  const last = yield* readInBatches(text, splitter, (piece) => reader.read(piece));
  checkRead(reader, report, options.invalid);
  if (last.length > 0) yield last;
  return report.finish(counts.bytesRead, counts.bytesDecoded);
}

/** @throws {IngestError} if there was nothing to read, or what was read is refused */
export function checkRead(reader: ItemReader, report: ReportBuilder, invalid: 'refuse' | 'keep'): void {
  if (!reader.sawAnything) throw new IngestError('empty', 'the body contains no objects');
  if (report.invalidCount > 0 && (invalid === 'refuse' || report.isForbidden)) throw invalidObjects(report);
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
