import type { Counted } from './ingest-report.js';

/** A list that stores only its first entries but counts all. */
export class First<T> implements Counted<T> {
  count = 0;
  readonly first: T[] = [];

  constructor(private readonly most: number) {}

  add(entry: T): void {
    this.count++;
    if (this.first.length < this.most) this.first.push(entry);
  }

  toJSON(): Counted<T> {
    return { count: this.count, first: this.first };
  }
}
