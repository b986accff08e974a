/**
 * An item of a page, whose token is computed when it is read: REST reads only that of the last one.
 *
 * A class, since an object literal with a getter is costly: V8 makes a hidden class for each such object, which keeps what the getter uses
 * in memory until the next collection of the whole heap.
 */
export class PageItem<Item, Key> {
  constructor(
    readonly item: Item,
    private readonly key: Key,
    private readonly tokenOf: (key: Key) => string,
  ) {}

  get token(): string {
    return this.tokenOf(this.key);
  }
}
