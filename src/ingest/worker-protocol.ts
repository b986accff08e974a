import type { ObjectRow } from '../core/cluster/object-row.js';
import { defined } from '../core/collections/defined.js';
import type { AuditIngestOptions } from './ingest-audit-events.js';
import type { IngestErrorData } from './ingest-error.js';
import type { IngestOptions } from './ingest-stream.js';

/** How to read a stream. */
export type ReadingTask =
  | { readonly kind: 'snapshot'; readonly options: IngestOptions; readonly seed: number }
  | { readonly kind: 'audit-events'; readonly options: AuditIngestOptions };

/** Messages between the main thread and a reading thread; `stream` identifies a stream of the thread. */
export type ToWorker =
  | { readonly type: 'start'; readonly stream: number; readonly task: ReadingTask }
  /** The buffer is transferred. */
  | { readonly type: 'chunk'; readonly stream: number; readonly bytes: Uint8Array }
  | { readonly type: 'end'; readonly stream: number }
  /** The consumer has taken a batch. */
  | { readonly type: 'taken'; readonly stream: number }
  | { readonly type: 'cancel'; readonly stream: number };

export type FromWorker =
  /** A chunk has been processed; another may be sent. */
  | { readonly type: 'more'; readonly stream: number }
  /** `PackedRows` for a snapshot, otherwise the unchanged result of the task. */
  | { readonly type: 'rows'; readonly stream: number; readonly rows: unknown }
  | { readonly type: 'done'; readonly stream: number; readonly report: unknown }
  | { readonly type: 'failed'; readonly stream: number; readonly error: IngestErrorData };

/**
 * The number of chunks queued for a reading thread, so that it never waits for the next one and memory stays bounded.
 */
export const CHUNKS_AHEAD = 4;
/** The number of batches on their way to the consumer. */
export const BATCHES_AHEAD = 4;

/** Rows in columns, which are much cheaper to clone between threads than an object for each row. */
export interface PackedRows {
  readonly kinds: readonly string[];
  readonly namespaces: readonly string[];
  readonly names: readonly string[];
  readonly uids: readonly (string | null)[];
  readonly resourceVersions: readonly (string | null)[];
  readonly contents: readonly string[];
  readonly hashes: Uint8Array;
  /** By the index of the row. */
  readonly withheld: ReadonlyMap<number, string>;
}

const HASH_BYTES = 16;

export function packRows(rows: readonly ObjectRow[]): PackedRows {
  const hashes = new Uint8Array(rows.length * HASH_BYTES);
  rows.forEach((row, index) => hashes.set(row.hash, index * HASH_BYTES));
  return {
    kinds: rows.map((row) => row.kind),
    namespaces: rows.map((row) => row.namespace),
    names: rows.map((row) => row.name),
    uids: rows.map((row) => row.uid),
    resourceVersions: rows.map((row) => row.resourceVersion),
    contents: rows.map((row) => row.content),
    hashes,
    withheld: new Map(rows.flatMap(({ withheld }, index) => (withheld === undefined ? [] : [[index, withheld]]))),
  };
}

export function unpackRows(packed: PackedRows): readonly ObjectRow[] {
  const { buffer, byteOffset } = packed.hashes;
  return packed.kinds.map((kind, index) => ({
    kind,
    namespace: packed.namespaces[index]!,
    name: packed.names[index]!,
    uid: packed.uids[index]!,
    resourceVersion: packed.resourceVersions[index]!,
    hash: Buffer.from(buffer, byteOffset + index * HASH_BYTES, HASH_BYTES),
    content: packed.contents[index]!,
    ...defined({ withheld: packed.withheld.get(index) }),
  }));
}
