import type { ObjectRow, SnapshotRow } from '../core/cluster/object-row.js';
import { packKey } from './object-key.js';
import { SeenObjects } from './seen-objects.js';
import type { StateHashes } from './state-hashes.js';
import { WithheldParams } from './withheld-params.js';
import { NulCharacter, StorageError } from './storage-error.js';

/** The approximate number of characters of rows to collect before they are sent to the database. */
const CHUNK = 4 * 1024 * 1024;

/** The columns of a line of `take()`, in order. */
export const STAGED_COLUMNS = 'sequence, kind, namespace, name, uid, resource_version, hash, content';

/**
 * Reads the rows of a snapshot and collects those that differ from the base, as text for COPY. Keeps only the key, hash and
 * sequence number of each object, so that memory depends on the number of objects and not on their size.
 */
export class RowIntake {
  readonly seen: SeenObjects;

  private readonly iterator: AsyncIterator<readonly SnapshotRow[]>;
  private pending: string[] = [];
  private pendingLength = 0;

  constructor(
    rows: AsyncIterable<readonly SnapshotRow[]>,
    base: StateHashes,
    private readonly params: WithheldParams,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.iterator = rows[Symbol.asyncIterator]();
    this.seen = new SeenObjects(base);
  }

  /** Reads until a chunk is full (true) or the rows have ended (false). */
  async fill(): Promise<boolean> {
    while (this.pendingLength < CHUNK) {
      const next = await this.next();
      if (next.done === true) {
        for (const row of this.params.rest()) this.accept(row);
        return false;
      }
      for (const row of next.value) {
        if ('unchanged' in row) this.seen.noteUnchanged(row.unchanged, row.resourceVersion);
        else this.accept(this.params.pass(row));
      }
    }
    return true;
  }

  /** Returns and clears the collected lines. */
  take(): Buffer {
    const lines = Buffer.from(this.pending.join(''));
    this.pending = [];
    this.pendingLength = 0;
    return lines;
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

  private accept(row: ObjectRow): void {
    refuseNul(row);
    const sequence = this.seen.note(packKey(row.kind, row.namespace, row.name), row.hash, row.resourceVersion);
    if (sequence === undefined) return;
    const uid = row.uid === null ? '\\N' : escape(row.uid);
    const version = row.resourceVersion === null ? '\\N' : escape(row.resourceVersion);
    const key = `${escape(row.kind)}\t${escape(row.namespace)}\t${escape(row.name)}`;
    const hash = Buffer.from(row.hash.buffer, row.hash.byteOffset, row.hash.byteLength).toString('hex');
    this.pending.push(`${sequence}\t${key}\t${uid}\t${version}\t\\\\x${hash}\t`, escape(row.content), '\n');
    this.pendingLength += row.content.length + 100;
  }
}

export function snapshotAborted(signal: AbortSignal): StorageError {
  return new StorageError('SnapshotAborted', 'the snapshot was aborted', { cause: signal.reason });
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw snapshotAborted(signal);
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes a value for the text format of COPY. */
function escape(value: string): string {
  return /[\\\n\r\t]/.test(value) ? value.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character]!) : value;
}

/** `\u0000` in JSON text, not preceded by an odd number of backslashes, which would escape it. */
const ESCAPED_NUL = /(?<!\\)(?:\\\\)*\\u0000/;

export function refuseNul(row: ObjectRow): void {
  for (const field of ['kind', 'namespace', 'name', 'uid', 'resourceVersion'] as const) {
    if (row[field]?.includes('\0') === true) throw new NulCharacter(`${describe(row)}: ${field}`);
  }
  // A text column can store the escape, but not the value: queries on such content as jsonb would fail.
  const { content } = row;
  if (content.includes('\0') || (content.includes('\\u0000') && ESCAPED_NUL.test(content))) {
    throw new NulCharacter(`${describe(row)}: content`);
  }
}

function describe({ kind, namespace, name }: ObjectRow): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`.replaceAll('\0', '\\u0000');
}
