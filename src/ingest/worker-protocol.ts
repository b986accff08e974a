import type { EncodedRow, ObjectRow, SnapshotRow, UnchangedRow } from '../core/cluster/object-row.js';
import { defined } from '../core/collections/defined.js';
import type { AuditIngestOptions } from './ingest-audit-events.js';
import type { IngestErrorData } from './ingest-error.js';
import type { IngestOptions, StreamBase } from './ingest-stream.js';
import { HASH_BYTES } from './known-hashes.js';

/** How to read a stream. */
export type ReadingTask =
  | {
      readonly kind: 'snapshot';
      readonly options: IngestOptions;
      readonly seed: number;
      readonly base?: StreamBase | undefined;
    }
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
  /** `PackedSnapshotRows` for a snapshot, otherwise the unchanged result of the task. */
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
interface PackedRows {
  readonly kinds: readonly string[];
  readonly namespaces: readonly string[];
  readonly names: readonly string[];
  readonly uids: readonly (string | null)[];
  readonly resourceVersions: readonly (string | null)[];
  /** Of encoded rows: null here, and `utf8` has their texts, one after another. */
  readonly contents: readonly (string | null)[];
  readonly utf8: Uint8Array<ArrayBuffer>;
  /** The number of bytes of each of those. */
  readonly lengths: readonly number[];
  readonly hashes: Uint8Array;
  /** By the index of the row. */
  readonly withheld: ReadonlyMap<number, string>;
}

/** The same with unchanged rows between the whole ones. */
export interface PackedSnapshotRows {
  readonly whole: PackedRows;
  /** For each row of the batch, in order: what it is in the state; -1 for the next whole row. Empty if all are whole. */
  readonly unchanged: Int32Array<ArrayBuffer>;
  /** The resourceVersions of the unchanged rows. */
  readonly resourceVersions: readonly (string | null)[];
}

const isUnchanged = (row: SnapshotRow): row is UnchangedRow => 'unchanged' in row;
const isWhole = (row: SnapshotRow): row is ObjectRow | EncodedRow => !isUnchanged(row);

export function packSnapshotRows(rows: readonly SnapshotRow[]): PackedSnapshotRows {
  const same = rows.filter(isUnchanged);
  const whole = packRows(rows.filter(isWhole));
  return {
    whole,
    unchanged: Int32Array.from(same.length === 0 ? [] : rows, (row) => (isUnchanged(row) ? row.unchanged : -1)),
    resourceVersions: same.map(({ resourceVersion }) => resourceVersion),
  };
}

export function unpackSnapshotRows(packed: PackedSnapshotRows): readonly SnapshotRow[] {
  const whole = unpackRows(packed.whole);
  if (packed.unchanged.length === 0) return whole;
  let nextWhole = 0;
  let nextUnchanged = 0;
  return Array.from(packed.unchanged, (unchanged) =>
    unchanged < 0 ? whole[nextWhole++]! : { unchanged, resourceVersion: packed.resourceVersions[nextUnchanged++]! },
  );
}

function packRows(rows: readonly (ObjectRow | EncodedRow)[]): PackedRows {
  const encoded = rows.flatMap((row) => ('utf8' in row ? [row.utf8] : []));
  const hashes = new Uint8Array(rows.length * HASH_BYTES);
  rows.forEach((row, index) => hashes.set(row.hash, index * HASH_BYTES));
  return {
    kinds: rows.map((row) => row.kind),
    namespaces: rows.map((row) => row.namespace),
    names: rows.map((row) => row.name),
    uids: rows.map((row) => row.uid),
    resourceVersions: rows.map((row) => row.resourceVersion),
    contents: rows.map((row) => ('utf8' in row ? null : row.content)),
    utf8: joined(encoded),
    lengths: encoded.map(({ length }) => length),
    hashes,
    withheld: new Map(
      rows.flatMap((row, index) => ('utf8' in row || row.withheld === undefined ? [] : [[index, row.withheld]])),
    ),
  };
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function unpackRows(packed: PackedRows): readonly (ObjectRow | EncodedRow)[] {
  const { buffer, byteOffset } = packed.hashes;
  let next = 0;
  let at = 0;
  return packed.kinds.map((kind, index) => {
    const row = {
      kind,
      namespace: packed.namespaces[index]!,
      name: packed.names[index]!,
      uid: packed.uids[index]!,
      resourceVersion: packed.resourceVersions[index]!,
      hash: Buffer.from(buffer, byteOffset + index * HASH_BYTES, HASH_BYTES),
    };
    const content = packed.contents[index]!;
    if (content !== null) return { ...row, content, ...defined({ withheld: packed.withheld.get(index) }) };
    const from = at;
    at += packed.lengths[next++]!;
    return { ...row, utf8: packed.utf8.subarray(from, at) };
  });
}
