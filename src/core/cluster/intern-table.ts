import { stringifyJson } from '../json/lossless-json.js';

/**
 * Assigns one small integer to equal values. Append-only: an ID never changes its value, so several states can share a
 * table while later ones append to it.
 */
export class InternTable<T> {
  private readonly ids = new Map<string, number>();
  private readonly entries: T[] = [];
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

  /** The ID of a text that is already interned; otherwise undefined. */
  find(text: string): number | undefined {
    if (this.base !== undefined) {
      const inBase = this.base.find(text);
      // The base may have been appended to since the fork.
      if (inBase !== undefined && inBase < this.offset) return inBase;
    }
    return this.ids.get(text);
  }

  /** The value of an ID of this table. */
  at(id: number): T {
    if (id < this.offset) return this.base!.at(id);
    const value = this.entries[id - this.offset];
    if (value === undefined && id >= this.size) throw new RangeError(`no interned value ${id}`);
    return value as T;
  }

  get size(): number {
    return this.offset + this.entries.length;
  }

  get values(): readonly T[] {
    if (this.base === undefined) return this.entries;
    if (this.joined.length !== this.size) this.joined = [...this.base.values.slice(0, this.offset), ...this.entries];
    return this.joined;
  }

  /** The approximate heap size in bytes without the base: the texts, and about twice as much for the values. */
  get approximateBytes(): number {
    return 3 * this.textLength + 100 * this.entries.length;
  }
}

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
