import { finish } from '../collections/finish.js';
import { stringifyJson } from '../json/lossless-json.js';
import type { UnreadLines } from './unread-text.js';

/** Values whose texts are not read: those of IDs in a row. */
interface Block<T> {
  /** The ID of the first, without those of the base. */
  readonly first: number;
  readonly lines: UnreadLines;
  /** The text by which the value of a line is found, which it is unless that is derived from it. */
  readonly textOf: (line: string) => string;
  /** Absent if the values are there. */
  readonly parse?: (line: string) => T;
}

/** In place of a value that is not read. */
const UNREAD = Symbol('unread');

/**
 * Assigns one small integer to equal values. Append-only: an ID never changes its value, so several states can share a
 * table while later ones append to it.
 */
export class InternTable<T> {
  private readonly ids = new Map<string, number>();
  private readonly entries: (T | typeof UNREAD)[] = [];
  /** In the order of their IDs. */
  private readonly blocks: Block<T>[] = [];
  /** How many of them, from the first on, have no value that is not read. */
  private wholeBlocks = 0;
  /** Blocks whose texts are not in `ids`. */
  private readonly unlisted: Block<T>[] = [];
  /** The number of values from the base. */
  readonly offset: number;
  private textLength = 0;
  private joined: readonly T[] = [];

  /** @param base a table whose present values this one contains, too */
  constructor(private readonly base?: InternTable<T>) {
    this.offset = base?.size ?? 0;
  }

  /**
   * A table that starts with the values of this one, with the same IDs. Values added to either are not in the other.
   */
  fork(): InternTable<T> {
    return new InternTable(this);
  }

  /** The ID of the value with this text; `make` is called only for a new value. */
  idOf(text: string, make: () => T): number {
    const known = this.find(text);
    if (known !== undefined) return known;
    const id = this.size;
    this.entries.push(make());
    this.ids.set(text, id);
    this.textLength += text.length;
    return id;
  }

  /**
   * Adds values that are read when they are asked for. None of them is in the table yet.
   * @param textOf the text by which the value of a line is found, if that is not the line
   * @returns the ID of the first
   */
  append(lines: UnreadLines, parse: (line: string) => T, textOf = same): number {
    const first = this.size;
    this.addBlock({ first: this.entries.length, lines, textOf, parse });
    for (let index = 0; index < lines.count; index++) this.entries.push(UNREAD);
    return first;
  }

  /** Adds values whose texts are read when one is looked up, as `append`. */
  appendValues(lines: UnreadLines, values: readonly T[]): number {
    const first = this.size;
    this.addBlock({ first: this.entries.length, lines, textOf: same });
    for (const value of values) this.entries.push(value);
    return first;
  }

  /** The ID of a text that is already interned; otherwise undefined. */
  find(text: string): number | undefined {
    if (this.base !== undefined) {
      const inBase = this.base.find(text);
      // The base may have been appended to since the fork.
      if (inBase !== undefined && inBase < this.offset) return inBase;
    }
    if (this.unlisted.length > 0) finish(this.stepList());
    return this.ids.get(text);
  }

  /** Reads the texts that are looked up, with a pause after some of them; otherwise they are read at once when the first is looked up. */
  *stepList(): Generator<undefined, void> {
    for (let block = this.unlisted.shift(); block !== undefined; block = this.unlisted.shift()) {
      const { first, lines, textOf } = block;
      for (const [index, line] of lines.all().entries()) this.ids.set(textOf(line), this.offset + first + index);
      yield;
    }
  }

  /** The value of an ID of this table. */
  at(id: number): T {
    if (id < this.offset) return this.base!.at(id);
    const value = this.entries[id - this.offset];
    if (value === UNREAD) return this.read(id - this.offset);
    if (value === undefined && id >= this.size) throw new RangeError(`no interned value ${id}`);
    return value as T;
  }

  get size(): number {
    return this.offset + this.entries.length;
  }

  get values(): readonly T[] {
    for (; this.wholeBlocks < this.blocks.length; this.wholeBlocks++) {
      const { first, lines } = this.blocks[this.wholeBlocks]!;
      for (let index = 0; index < lines.count; index++) this.at(this.offset + first + index);
    }
    const own = this.entries as readonly T[];
    if (this.base === undefined) return own;
    if (this.joined.length !== this.size) this.joined = [...this.base.values.slice(0, this.offset), ...own];
    return this.joined;
  }

  /** The approximate heap size in bytes without the base: the texts, and about twice as much for the values that are read. */
  get approximateBytes(): number {
    let unread = 0;
    let count = 0;
    for (const { lines } of this.blocks) {
      unread += lines.bytes;
      count += lines.count;
    }
    const listed = this.entries.length - (this.unlisted.length > 0 ? count : 0);
    return 3 * this.textLength + unread + 8 * count + 100 * listed;
  }

  private addBlock(block: Block<T>): void {
    if (block.lines.count === 0) return;
    this.blocks.push(block);
    this.unlisted.push(block);
  }

  private read(index: number): T {
    const block = this.blocks.findLast(({ first }) => first <= index)!;
    const value = block.parse!(block.lines.take(index - block.first));
    this.entries[index] = value;
    return value;
  }
}

const same = (line: string): string => line;

/**
 * A text that is equal for equal values; values that differ only in the order of keys may have different texts. Empty
 * for undefined.
 */
export function internText(value: unknown): string {
  if (value === undefined) return '';
  try {
    return JSON.stringify(value);
  } catch {
    // The value contains a bigint, which is rare enough to start again with the slower writer.
    return stringifyJson(value);
  }
}
