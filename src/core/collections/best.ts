/** Keeps the first few of many items in an order. */
export class Best<Item> {
  private kept: Item[] = [];
  /** Set once there are `size` items: items that do not come before this one are not among the first. */
  private bound: Item | undefined;

  constructor(
    private readonly size: number,
    private readonly compare: (a: Item, b: Item) => number,
  ) {}

  add(item: Item): void {
    if (this.bound !== undefined && this.compare(item, this.bound) >= 0) return;
    this.kept.push(item);
    if (this.kept.length < 2 * this.size + 128) return;
    this.kept = this.sorted();
    this.bound = this.kept.at(-1);
  }

  sorted(): Item[] {
    return this.kept.sort(this.compare).slice(0, this.size);
  }
}
