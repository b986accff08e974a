/** The first items of a list, and the total number. */
export interface Listed<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

/** Counts items and keeps the first few of them in an order. The memory depends only on how many are kept. */
export class FirstFew<Item> {
  private total = 0;
  private kept: Item[] = [];
  /** The last item of a full list; items after it are only counted. */
  private last: Item | undefined;

  constructor(
    private readonly most: number,
    private readonly compare: (a: Item, b: Item) => number,
  ) {}

  /** Whether an item would be kept, as far as is known yet; items after one that would not be are not either. */
  keeps(item: Item): boolean {
    return this.last === undefined || this.compare(item, this.last) < 0;
  }

  add(item: Item): void {
    this.total++;
    if (!this.keeps(item)) return;
    this.kept.push(item);
    if (this.kept.length > 2 * this.most) this.trim();
  }

  /** Counts items of which others say that they are not among the first. */
  addBeyond(count: number): void {
    this.total += count;
  }

  /** The kept items in order, converted by `show`. */
  listed<Shown>(show: (item: Item) => Shown): Listed<Shown> {
    this.trim();
    return { total: this.total, items: this.kept.map(show) };
  }

  private trim(): void {
    this.kept.sort(this.compare);
    if (this.kept.length < this.most) return;
    this.kept.length = this.most;
    this.last = this.kept.at(-1);
  }
}
