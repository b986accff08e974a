import type { EncodedRow, ObjectRow, RowBatches, SnapshotRow } from '../core/cluster/object-row.js';
import { packKey } from './object-key.js';
import { SeenObjects } from './seen-objects.js';
import type { StateHashes } from './state-hashes.js';
import { WithheldParams } from './withheld-params.js';
import { NulCharacter, StorageError } from './storage-error.js';

/** The approximate number of characters of rows to collect before they are sent to the database. */
const CHUNK = 4 * 1024 * 1024;

/** A row that differs from the base. */
export interface StagedRow {
  readonly sequence: number;
  readonly row: ObjectRow | EncodedRow;
  /** Whether an earlier row had the same key. */
  readonly replaces: boolean;
}

/**
 * Reads the rows of a snapshot and collects those that differ from the base. Keeps only the key, hash and
 * sequence number of each object, so that memory depends on the number of objects and not on their size.
 */
export class RowIntake {
  readonly seen: SeenObjects;

  private readonly iterator: AsyncIterator<readonly SnapshotRow[]>;
  private pending: StagedRow[] = [];
  /** The batches with the bytes of pending rows, and of those that were taken last. */
  private batches: (readonly SnapshotRow[])[] = [];
  private taken: readonly (readonly SnapshotRow[])[] = [];
  private pendingLength = 0;

  constructor(
    private readonly rows: RowBatches,
    base: StateHashes,
    private readonly params: WithheldParams,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.iterator = rows[Symbol.asyncIterator]();
    this.seen = new SeenObjects(base);
  }

  /**
   * Reads until a chunk is full (true) or the rows have ended (false). The bytes of the rows that were taken last must not be used any more.
   */
  async fill(): Promise<boolean> {
    for (const batch of this.taken) this.rows.release?.(batch);
    this.taken = [];
    while (this.pendingLength < CHUNK) {
      const next = await this.next();
      if (next.done === true) {
        for (const row of this.params.rest()) this.accept(row);
        return false;
      }
      const before = this.pending.length;
      const clean = cleanBytes(next.value);
      for (const row of next.value) {
        if ('unchanged' in row) this.seen.noteUnchanged(row.unchanged, row.resourceVersion);
        else this.accept(this.params.pass(row), clean);
      }
      if (this.pending.length > before) this.batches.push(next.value);
      else this.rows.release?.(next.value);
    }
    return true;
  }

  /** Returns and clears the collected rows, whose bytes are there until the next `fill`. */
  take(): readonly StagedRow[] {
    const rows = this.pending;
    this.pending = [];
    this.pendingLength = 0;
    this.taken = this.batches;
    this.batches = [];
    return rows;
  }

  /** Tells the sender that no more rows will be read. */
  close(): void {
    // Do not await this: a generator that waits for a stalled client would return only after that.
    this.iterator.return?.().catch(() => undefined);
  }

  private async next(): Promise<IteratorResult<readonly SnapshotRow[]>> {
    const { signal } = this;
    if (signal === undefined) return this.iterator.next();
    throwIfAborted(signal);
    let onAbort: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(snapshotAborted(signal));
      signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      const next = this.iterator.next();
      next.catch(() => undefined);
      return await Promise.race([next, aborted]);
    } catch (error) {
      // A truncated body may fail by itself before the signal is checked.
      throwIfAborted(signal);
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort!);
    }
  }

  private accept(row: ObjectRow | EncodedRow, clean?: Uint8Array): void {
    refuseNul(row, clean);
    const { replaced } = this.seen;
    const before = replaced.length;
    const sequence = this.seen.note(packKey(row.kind, row.namespace, row.name), row.hash, row.resourceVersion);
    if (sequence === undefined) return;
    this.pending.push({ sequence, row, replaces: replaced.length > before });
    this.pendingLength += ('utf8' in row ? row.utf8 : row.content).length + 100;
  }
}

export function snapshotAborted(signal: AbortSignal): StorageError {
  return new StorageError('SnapshotAborted', 'the snapshot was aborted', { cause: signal.reason });
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw snapshotAborted(signal);
}

/** `\u0000` in JSON text, not preceded by an odd number of backslashes, which would escape it. */
const ESCAPED_NUL = /(?<!\\)(?:\\\\)*\\u0000/;

/**
 * The bytes of a batch's encoded rows if they are one after another and have no NUL, in any form: to find that out of all costs much less than
 * of each.
 */
function cleanBytes(rows: readonly SnapshotRow[]): Uint8Array | undefined {
  const encoded = (row: SnapshotRow): row is EncodedRow => 'utf8' in row;
  const first = rows.find(encoded)?.utf8;
  const last = rows.findLast(encoded)?.utf8;
  if (first === undefined || last?.buffer !== first.buffer || last.byteOffset < first.byteOffset) return undefined;
  const bytes = Buffer.from(first.buffer, first.byteOffset, last.byteOffset + last.length - first.byteOffset);
  return bytes.includes(0) || bytes.includes('\\u0000') ? undefined : bytes;
}

const isWithin = (part: Uint8Array, whole: Uint8Array): boolean =>
  part.buffer === whole.buffer &&
  part.byteOffset >= whole.byteOffset &&
  part.byteOffset + part.length <= whole.byteOffset + whole.length;

/** @param clean bytes without NUL, in any form */
export function refuseNul(row: ObjectRow | EncodedRow, clean?: Uint8Array): void {
  for (const field of ['kind', 'namespace', 'name', 'uid', 'resourceVersion'] as const) {
    if (row[field]?.includes('\0') === true) throw new NulCharacter(`${describe(row)}: ${field}`);
  }
  if (clean !== undefined && 'utf8' in row && isWithin(row.utf8, clean)) return;
  // A text column can store the escape, but not the value: queries on such content as jsonb would fail.
  const utf8 = 'utf8' in row ? bufferOf(row.utf8) : undefined;
  if (utf8?.includes(0) === false && !utf8.includes('\\u0000')) return;
  const content = 'utf8' in row ? bufferOf(row.utf8).toString() : row.content;
  if (content.includes('\0') || (content.includes('\\u0000') && ESCAPED_NUL.test(content))) {
    throw new NulCharacter(`${describe(row)}: content`);
  }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function describe({ kind, namespace, name }: ObjectRow | EncodedRow): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`.replaceAll('\0', '\\u0000');
}
