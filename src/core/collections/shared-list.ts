const BITS = 7;
const MOST = 1 << BITS;

/** A list in parts. A copy with other items shares the parts without changes, so its cost depends on the changes alone. */
export class SharedList<Item> {
  private whole: readonly Item[] | undefined;

  private constructor(
    private readonly parts: readonly (readonly Item[])[],
    readonly length: number,
  ) {}

  static of<Item>(items: readonly Item[]): SharedList<Item> {
    const parts: (readonly Item[])[] = [];
    for (let start = 0; start < items.length; start += MOST) parts.push(items.slice(start, start + MOST));
    return new SharedList(parts, items.length);
  }

  /** Undefined outside of the list. */
  at(index: number): Item | undefined {
    return this.parts[index >> BITS]?.[index & (MOST - 1)];
  }

  /** @param changes the new items by index, within the list */
  with(changes: ReadonlyMap<number, Item>): SharedList<Item> {
    const parts = [...this.parts];
    const copied = new Map<number, Item[]>();
    for (const [index, item] of changes) {
      const place = index >> BITS;
      let part = copied.get(place);
      if (part === undefined) copied.set(place, (part = [...parts[place]!]));
      part[index & (MOST - 1)] = item;
    }
    for (const [place, part] of copied) parts[place] = part;
    return new SharedList(parts, this.length);
  }

  /** All items, as one list that is made on the first call. */
  all(): readonly Item[] {
    return (this.whole ??= this.parts.flat());
  }
}
