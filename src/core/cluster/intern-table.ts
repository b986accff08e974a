import { stringifyJson } from '../json/lossless-json.js';

/**
 * Gives equal values one small integer. Append only: an id, once given, keeps its value, so several states may share a
 * table although later ones go on adding to it.
 */
export class InternTable<T> {
  private readonly ids = new Map<string, number>();
  private readonly entries: T[] = [];
  /** How many values are those of the base. */
  readonly offset: number;
  private textLength = 0;
  private joined: readonly T[] = [];

  /** @param base a table whose values, as many as it has now, this one has too */
  constructor(private readonly base?: InternTable<T>) {
    this.offset = base?.size ?? 0;
  }

  /** A table that begins with the values of this one, under their ids. What is added to either is not in the other. */
  fork(): InternTable<T> {
    return new InternTable(this);
  }

  /** The id of the value that `text` stands for; `make` is asked for it the first time. */
  idOf(text: string, make: () => T): number {
    const known = this.find(text);
    if (known !== undefined) return known;
    const id = this.size;
    this.entries.push(make());
    this.ids.set(text, id);
    this.textLength += text.length;
    return id;
  }

  /** The id of a text that was interned before, else undefined. */
  find(text: string): number | undefined {
    if (this.base !== undefined) {
      const inBase = this.base.find(text);
      // The base may have gone on since.
      if (inBase !== undefined && inBase < this.offset) return inBase;
    }
    return this.ids.get(text);
  }

  /** The value of an id that this table gave. */
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

  /** Heap held, the base's apart: the texts, and about as much again for the values. */
  get approximateBytes(): number {
    return 3 * this.textLength + 100 * this.entries.length;
  }
}

/** A text that equal values share; values that differ in the order of keys only may get two. Empty for undefined. */
export function internText(value: unknown): string {
  if (value === undefined) return '';
  try {
    return JSON.stringify(value);
  } catch {
    // A bigint: rare enough that the slower writer may try again from the start.
    return stringifyJson(value);
  }
}
