import { randomInt } from 'node:crypto';
import type { ObjectRow } from '../core/cluster/object-row.js';
import type { IngestReport } from './ingest-report.js';
import { type IngestOptions, ingestStream } from './ingest-stream.js';
import { type Reading, readInThread } from './read-in-thread.js';
import { type PackedRows, unpackRows } from './worker-protocol.js';

export interface ReadSnapshotOptions extends IngestOptions {
  /** Aborting it ends the reading with `cancelled`. */
  readonly signal?: AbortSignal | undefined;
  /** The sender of the stream: senders share the reading threads. */
  readonly sender?: string | undefined;
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
  const { contentType, contentEncoding, invalid, limits } = given;
  const options = { contentType, contentEncoding, invalid, limits };
  const seed = randomInt(2 ** 32);
  return readInThread(
    source,
    {
      task: { kind: 'snapshot', options, seed },
      sender: given.sender ?? '',
      inThisThread: (chunks) => ingestStream(chunks, options, seed),
      unpack: (sent) => unpackRows(sent as PackedRows),
    },
    given.signal,
  );
}
