import { stringifyJson } from '../json/lossless-json.js';

/**
 * Gives equal values one small integer. Append only: an id, once given, keeps its value, so several states may share a
 * table although later ones go on adding to it.
 */
export class InternTable<T> {
  private readonly ids = new Map<string, number>();
  private readonly entries: T[] = [];
  private textLength = 0;

  /** The id of the value that `text` stands for; `make` is asked for it the first time. */
  idOf(text: string, make: () => T): number {
    const known = this.ids.get(text);
    if (known !== undefined) return known;
    const id = this.entries.length;
    this.entries.push(make());
    this.ids.set(text, id);
    this.textLength += text.length;
    return id;
  }

  /** The id of a text that was interned before, else undefined. */
  find(text: string): number | undefined {
    return this.ids.get(text);
  }

  /** The value of an id that this table gave. */
  at(id: number): T {
    const value = this.entries[id];
    if (value === undefined && id >= this.entries.length) throw new RangeError(`no interned value ${id}`);
    return value as T;
  }

  get size(): number {
    return this.entries.length;
  }

  get values(): readonly T[] {
    return this.entries;
  }

  /** Heap held: the texts, and about as much again for the values. */
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
