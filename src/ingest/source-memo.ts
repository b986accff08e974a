/** A value that was read before: its source and the result. */
export interface Remembered {
  source: Uint8Array;
  sourceLength: number;
  canonical: Uint8Array;
  canonicalLength: number;
  droppedFields: number;
  lineFeeds: number;
}

/** The maximum number of values per place: the containers, volumes or variables of one pod and its sidecars. */
const MOST = 8;
/** Shorter values are as fast to read as to compare. */
const SHORTEST = 24;
const LONGEST = 16 * 1024;
/** A place where fewer than one value in five repeats skips the memo for a while. */
const MAX_CREDIT = 64;
const REST = 512;

/** The remaining memory of all memos of a stream, in bytes. */
export class MemoBudget {
  left = 8 * 1024 * 1024;
}

/**
 * Caches the last values of one place by their source bytes: pods of one workload differ little, so that identical bytes are
 * read only once.
 *
 * A lookup checks whether the bytes of a cached value are a prefix of the input, which is sufficient for objects and arrays
 * because they end at their closing bracket.
 */
export class SourceMemo {
  private readonly entries: Remembered[] = [];
  /** The index where the next hit is expected: values repeat in the same order. */
  private expected = 0;
  private oldest = 0;
  private credit = MAX_CREDIT;
  private rest = 0;

  constructor(private readonly budget: MemoBudget) {}

  find(bytes: Buffer, at: number, limit: number): Remembered | undefined {
    if (this.rest > 0) {
      this.rest--;
      return undefined;
    }
    const { entries } = this;
    let index = this.expected;
    for (let tries = entries.length; tries > 0; tries--) {
      if (index >= entries.length) index = 0;
      const entry = entries[index]!;
      if (at + entry.sourceLength <= limit && isPrefix(entry.source, entry.sourceLength, bytes, at)) {
        this.expected = index + 1;
        if (this.credit < MAX_CREDIT) this.credit += 4;
        return entry;
      }
      index++;
    }
    if (--this.credit <= 0) {
      this.rest = REST;
      this.credit = MAX_CREDIT / 4;
    }
    return undefined;
  }

  /** Caches a value that was not found: its source in `bytes`, its canonical form in `out`. */
  add(
    bytes: Uint8Array,
    from: number,
    to: number,
    out: Uint8Array,
    outFrom: number,
    outTo: number,
    droppedFields: number,
    lineFeeds: number,
  ): void {
    const length = to - from;
    if (this.rest > 0 || length < SHORTEST || length > LONGEST || outTo - outFrom > LONGEST) return;
    let entry: Remembered | undefined;
    if (this.entries.length < MOST) {
      entry = { source: EMPTY, sourceLength: 0, canonical: EMPTY, canonicalLength: 0, droppedFields: 0, lineFeeds: 0 };
      this.oldest = this.entries.length;
    } else {
      this.oldest = (this.oldest + 1) % MOST;
      entry = this.entries[this.oldest]!;
    }
    const source = this.fitting(entry.source, length);
    const canonical = this.fitting(entry.canonical, outTo - outFrom);
    if (source === undefined || canonical === undefined) return;
    copyBytes(bytes, from, to, source, 0);
    copyBytes(out, outFrom, outTo, canonical, 0);
    entry.source = source;
    entry.sourceLength = length;
    entry.canonical = canonical;
    entry.canonicalLength = outTo - outFrom;
    entry.droppedFields = droppedFields;
    entry.lineFeeds = lineFeeds;
    this.entries[this.oldest] = entry;
    this.expected = this.oldest + 1;
  }

  /** An array with room for `length` bytes, if possible the same one; undefined if the budget is exhausted. */
  private fitting(array: Uint8Array, length: number): Uint8Array | undefined {
    if (array.length >= length) return array;
    const size = Math.ceil(length / 64) * 64 + 64;
    if (this.budget.left < size) return undefined;
    this.budget.left -= size - array.length;
    return new Uint8Array(size);
  }
}

const EMPTY = new Uint8Array(0);
/** From this length on, a native call is faster than a loop. */
const WORTH_A_CALL = 64;

function isPrefix(source: Uint8Array, length: number, bytes: Buffer, at: number): boolean {
  const middle = length >> 1;
  if (bytes[at + length - 1] !== source[length - 1] || bytes[at + middle] !== source[middle]) return false;
  if (length > WORTH_A_CALL) return bytes.compare(source, 0, length, at, at + length) === 0;
  for (let index = 0; index < length; index++) {
    if (bytes[at + index] !== source[index]) return false;
  }
  return true;
}

/** Copies `from[start, end)` to `to`, starting at index `at`. */
export function copyBytes(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  if (end - start > WORTH_A_CALL) {
    to.set(from.subarray(start, end), at);
    return;
  }
  for (let index = start; index < end; index++) to[at++] = from[index]!;
}
