/** The first few of a list, and how many there are. */
export interface Listed<Item> {
  readonly total: number;
  readonly items: readonly Item[];
}

/** Counts what is added and keeps the first few in an order, in memory that follows the few and not what is added. */
export class FirstFew<Item> {
  private total = 0;
  private kept: Item[] = [];
  /** The last of a full list: what comes after it is only counted. */
  private last: Item | undefined;

  constructor(
    private readonly most: number,
    private readonly compare: (a: Item, b: Item) => number,
  ) {}

  add(item: Item): void {
    this.total++;
    if (this.last !== undefined && this.compare(item, this.last) >= 0) return;
    this.kept.push(item);
    if (this.kept.length > 2 * this.most) this.trim();
  }

  /** What was kept, in order. */
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
