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
  | { readonly type: 'chunk'; readonly stream: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'end'; readonly stream: number }
  /** The consumer has taken a batch. */
  | { readonly type: 'taken'; readonly stream: number }
  /** The consumer has no use for a batch any more. Its buffer is transferred back, to be used again. */
  | { readonly type: 'released'; readonly stream: number; readonly buffer: ArrayBuffer }
  | { readonly type: 'cancel'; readonly stream: number };

export type FromWorker =
  /** A chunk has been processed; another may be sent. Its buffer is transferred back, to be used again. */
  | { readonly type: 'more'; readonly stream: number; readonly buffer: ArrayBuffer }
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

/** Texts of rows, one after another: one text costs much less between threads than many. */
interface PackedTexts {
  readonly joined: string;
  /** The number of characters of each; `NONE` for null. */
  readonly lengths: Int32Array<ArrayBuffer>;
}

const NONE = -1;

/** Rows in columns, which are much cheaper to clone between threads than an object for each row. */
interface PackedRows {
  /** Each once. */
  readonly kinds: readonly string[];
  readonly namespaces: readonly string[];
  /** Of each row: the index of its kind, that of its namespace, and the number of bytes of its content in `utf8`, or `NONE` if it is in `contents`. */
  readonly numbers: Int32Array<ArrayBuffer>;
  /** The name, uid and resourceVersion of each row. */
  readonly texts: PackedTexts;
  /** The contents of rows that are not encoded. */
  readonly contents: readonly string[];
  /** The contents of encoded rows, one after another. */
  readonly utf8: Uint8Array<ArrayBuffer>;
  readonly hashes: Uint8Array<ArrayBuffer>;
  /** By the index of the row. */
  readonly withheld: ReadonlyMap<number, string>;
}

/** The same with unchanged rows between the whole ones. */
export interface PackedSnapshotRows {
  readonly whole: PackedRows;
  /** For each row of the batch, in order: what it is in the state; -1 for the next whole row. Empty if all are whole. */
  readonly unchanged: Int32Array<ArrayBuffer>;
  /** The resourceVersions of the unchanged rows. */
  readonly resourceVersions: PackedTexts;
}

const isUnchanged = (row: SnapshotRow): row is UnchangedRow => 'unchanged' in row;
const isWhole = (row: SnapshotRow): row is ObjectRow | EncodedRow => !isUnchanged(row);

/** Packs the rows of a batch. The rows must not be used after their buffers (`buffersOf`) are transferred. */
export function packSnapshotRows(rows: readonly SnapshotRow[]): PackedSnapshotRows {
  const same = rows.filter(isUnchanged);
  const whole = packRows(same.length === 0 ? (rows as readonly (ObjectRow | EncodedRow)[]) : rows.filter(isWhole));
  return {
    whole,
    unchanged: Int32Array.from(same.length === 0 ? [] : rows, (row) => (isUnchanged(row) ? row.unchanged : -1)),
    resourceVersions: packTexts(same.map(({ resourceVersion }) => resourceVersion)),
  };
}

/** The buffers to transfer with packed rows. */
export function buffersOf({ whole, unchanged, resourceVersions }: PackedSnapshotRows): readonly ArrayBuffer[] {
  const { numbers, texts, utf8, hashes } = whole;
  return [numbers, texts.lengths, utf8, hashes, unchanged, resourceVersions.lengths].map(({ buffer }) => buffer);
}

/** The buffer of the contents, which are most of a batch. */
export const bufferOf = ({ whole }: PackedSnapshotRows): ArrayBuffer => whole.utf8.buffer;

export function unpackSnapshotRows(packed: PackedSnapshotRows): readonly SnapshotRow[] {
  const whole = unpackRows(packed.whole);
  if (packed.unchanged.length === 0) return whole;
  const resourceVersions = unpackTexts(packed.resourceVersions);
  let nextWhole = 0;
  let nextUnchanged = 0;
  return Array.from(packed.unchanged, (unchanged) =>
    unchanged < 0 ? whole[nextWhole++]! : { unchanged, resourceVersion: resourceVersions[nextUnchanged++]! },
  );
}

const packTexts = (texts: readonly (string | null)[]): PackedTexts => ({
  joined: texts.join(''),
  lengths: Int32Array.from(texts, (text) => text?.length ?? NONE),
});

function unpackTexts({ joined: all, lengths }: PackedTexts): (string | null)[] {
  let at = 0;
  return Array.from(lengths, (length) => (length === NONE ? null : all.slice(at, (at += length))));
}

/** Numbers texts, each once. */
class Numbered {
  readonly texts: string[] = [];
  private readonly numbers = new Map<string, number>();

  numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.push(text) - 1;
    this.numbers.set(text, number);
    return number;
  }
}

const NUMBERS_A_ROW = 3;
const TEXTS_A_ROW = 3;

function packRows(rows: readonly (ObjectRow | EncodedRow)[]): PackedRows {
  const kinds = new Numbered();
  const namespaces = new Numbered();
  const numbers = new Int32Array(rows.length * NUMBERS_A_ROW);
  const texts: (string | null)[] = [];
  const contents: string[] = [];
  const encoded: Uint8Array[] = [];
  const hashes = new Uint8Array(rows.length * HASH_BYTES);
  const withheld = new Map<number, string>();
  rows.forEach((row, index) => {
    const at = index * NUMBERS_A_ROW;
    numbers[at] = kinds.numberOf(row.kind);
    numbers[at + 1] = namespaces.numberOf(row.namespace);
    numbers[at + 2] = 'utf8' in row ? row.utf8.length : NONE;
    texts.push(row.name, row.uid, row.resourceVersion);
    hashes.set(row.hash, index * HASH_BYTES);
    if ('utf8' in row) {
      encoded.push(row.utf8);
    } else {
      contents.push(row.content);
      if (row.withheld !== undefined) withheld.set(index, row.withheld);
    }
  });
  return {
    kinds: kinds.texts,
    namespaces: namespaces.texts,
    numbers,
    texts: packTexts(texts),
    contents,
    utf8: inOneBuffer(encoded) ?? joined(encoded),
    hashes,
    withheld,
  };
}

/** Parts that fill most of one buffer, one after another, as they are; undefined for others. */
function inOneBuffer(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> | undefined {
  const [first] = parts;
  if (first === undefined) return undefined;
  const { buffer, byteOffset } = first;
  let end = byteOffset;
  for (const part of parts) {
    if (part.buffer !== buffer || part.byteOffset !== end) return undefined;
    end += part.length;
  }
  const length = end - byteOffset;
  return length * 2 < buffer.byteLength ? undefined : new Uint8Array(buffer as ArrayBuffer, byteOffset, length);
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
  const { kinds, namespaces, numbers, contents, utf8, hashes, withheld } = packed;
  const texts = unpackTexts(packed.texts);
  const rows: (ObjectRow | EncodedRow)[] = [];
  let nextContent = 0;
  let from = 0;
  for (let index = 0; index * NUMBERS_A_ROW < numbers.length; index++) {
    const at = index * NUMBERS_A_ROW;
    const kind = kinds[numbers[at]!]!;
    const namespace = namespaces[numbers[at + 1]!]!;
    const name = texts[index * TEXTS_A_ROW]!;
    const uid = texts[index * TEXTS_A_ROW + 1]!;
    const resourceVersion = texts[index * TEXTS_A_ROW + 2]!;
    const hash = Buffer.from(hashes.buffer, hashes.byteOffset + index * HASH_BYTES, HASH_BYTES);
    const length = numbers[at + 2]!;
    if (length === NONE) {
      const content = contents[nextContent++]!;
      const row = { kind, namespace, name, uid, resourceVersion, hash, content };
      rows.push({ ...row, ...defined({ withheld: withheld.get(index) }) });
    } else {
      const to = from + length;
      rows.push({ kind, namespace, name, uid, resourceVersion, hash, utf8: utf8.subarray(from, to) });
      from = to;
    }
  }
  return rows;
}
