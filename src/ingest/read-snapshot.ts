import { randomInt } from 'node:crypto';
import type { ObjectRow, SnapshotRow } from '../core/cluster/object-row.js';
import type { IngestReport } from './ingest-report.js';
import { type IngestOptions, ingestNext, ingestSmall, ingestStream, type StreamBase } from './ingest-stream.js';
import { ItemMemos } from './item-memo.js';
import { type Reading, readInThread } from './read-in-thread.js';
import { bufferOf, type PackedSnapshotRows, unpackSnapshotRows } from './worker-protocol.js';

export interface ReadSnapshotOptions extends IngestOptions {
  /** Aborting it ends the reading with `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** The sender of the stream: senders share the reading threads. */
  readonly sender?: string | undefined;
  /** Whether it has so few bytes that this thread reads them sooner than it would tell another one to. */
  readonly isSmall?: boolean;
}

/**
 * Of several rows with the same kind, namespace and name, the last counts. After an error, all rows must be discarded.
 */
export type SnapshotReading = Reading<ObjectRow, IngestReport>;

/**
 * Reads a snapshot from a stream of bytes: one or more JSON Lists, single objects, NDJSON, watch events or YAML
 * documents, gzip or not. Splitting, parsing, decoding and hashing run in another thread: see `readInThread`.
 */
export function readSnapshot(source: AsyncIterable<Uint8Array>, given: ReadSnapshotOptions): SnapshotReading {
  // Without a base, all rows are whole.
  return readAny(source, given) as SnapshotReading;
}

/** The same for the next snapshot of a series: rows that its base has with the same hash are not repeated. */
export function readNextSnapshot(
  source: AsyncIterable<Uint8Array>,
  given: ReadSnapshotOptions,
  base: StreamBase,
): Reading<SnapshotRow, IngestReport> {
  return readAny(source, given, base);
}

/** For streams that are read in this thread. */
const memos = new ItemMemos();

function readAny(
  source: AsyncIterable<Uint8Array>,
  given: ReadSnapshotOptions,
  base?: StreamBase,
): Reading<SnapshotRow, IngestReport> {
  const { contentType, contentEncoding, invalid, limits } = given;
  const options = { contentType, contentEncoding, invalid, limits };
  const seed = randomInt(2 ** 32);
  return readInThread(
    source,
    {
      task: { kind: 'snapshot', options, seed, base },
      sender: given.sender ?? '',
      isSmall: given.isSmall,
      series: base?.series,
      inThisThread: (chunks) => {
        if (base !== undefined) return ingestNext(chunks, options, seed, base, memos);
        return given.isSmall === true && limits === undefined
          ? ingestSmall(chunks, options, seed)
          : ingestStream(chunks, options, seed);
      },
      unpack: (sent) => unpackSnapshotRows(sent as PackedSnapshotRows),
      bufferOf: (sent) => bufferOf(sent as PackedSnapshotRows),
    },
    given.signal,
  );
}
