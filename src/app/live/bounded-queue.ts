export interface QueueLimits {
  readonly items: number;
  /** By the sizes that are given with the items. */
  readonly bytes: number;
}

/** What waits for one reader, in order, and no more of it than the limits say. */
export class BoundedQueue<Item> {
  private items: { readonly item: Item; readonly bytes: number }[] = [];
  /** Where the first one is: what was taken stays in place until half of the list is empty. */
  private first = 0;
  private held = 0;

  constructor(private readonly limits: QueueLimits) {}

  get size(): number {
    return this.items.length - this.first;
  }

  /** Whether it is so full that its writer does well to wait a moment. */
  get isHalfFull(): boolean {
    return this.size * 2 > this.limits.items || this.held * 2 > this.limits.bytes;
  }

  /** @returns false where there is no room: the item is not kept. One item always fits into an empty queue. */
  add(item: Item, bytes: number): boolean {
    const { size, held, limits } = this;
    if (size > 0 && (size + 1 > limits.items || held + bytes > limits.bytes)) return false;
    this.items.push({ item, bytes });
    this.held += bytes;
    return true;
  }

  /** The oldest; undefined when there is none. */
  take(): Item | undefined {
    const entry = this.items[this.first];
    if (entry === undefined) return undefined;
    this.first++;
    this.held -= entry.bytes;
    if (this.first * 2 > this.items.length) {
      this.items = this.items.slice(this.first);
      this.first = 0;
    }
    return entry.item;
  }

  clear(): void {
    this.items = [];
    this.first = 0;
    this.held = 0;
  }
}
