export interface QueueLimits {
  readonly items: number;
  /** The sum of the sizes given with the items. */
  readonly bytes: number;
}

/** A bounded FIFO queue for one reader. */
export class BoundedQueue<Item> {
  private items: { readonly item: Item; readonly bytes: number }[] = [];
  /** Index of the first item: items that were taken stay until half of the list is empty. */
  private first = 0;
  private held = 0;

  constructor(private readonly limits: QueueLimits) {}

  get size(): number {
    return this.items.length - this.first;
  }

  /** True if the writer should wait a moment. */
  get isHalfFull(): boolean {
    return this.size * 2 > this.limits.items || this.held * 2 > this.limits.bytes;
  }

  /** @returns false if the queue is full and the item was not added. An empty queue accepts any item. */
  add(item: Item, bytes: number): boolean {
    const { size, held, limits } = this;
    if (size > 0 && (size + 1 > limits.items || held + bytes > limits.bytes)) return false;
    this.items.push({ item, bytes });
    this.held += bytes;
    return true;
  }

  /** Removes and returns the oldest item; undefined if the queue is empty. */
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
