import type { Labels } from './objects/meta.js';
import type { Selector } from './selector.js';

/** Selectors, indexed by a label that they require, so that only few are compared with given labels. */
export class SelectorIndex<Item> {
  /** By the label's key, then by its value. */
  private readonly byLabel = new Map<string, Map<string, (readonly [Selector, Item])[]>>();
  private readonly others: (readonly [Selector, Item])[] = [];

  add(selector: Selector, item: Item): void {
    const entry = [selector, item] as const;
    const wanted = selector.requirements?.find(({ operator }) => ['=', '==', 'in'].includes(operator));
    if (wanted === undefined) {
      this.others.push(entry);
      return;
    }
    let byValue = this.byLabel.get(wanted.key);
    if (byValue === undefined)
      this.byLabel.set(wanted.key, (byValue = new Map<string, (readonly [Selector, Item])[]>()));
    for (const value of new Set(wanted.values)) {
      const same = byValue.get(value);
      if (same === undefined) byValue.set(value, [entry]);
      else same.push(entry);
    }
  }

  /**
   * Yields the items whose selectors match the labels, each once, and undefined for each compared selector that does
   * not match.
   */
  *matching(labels: Labels): Generator<Item | undefined> {
    for (const [selector, item] of this.others) yield selector.matches(labels) ? item : undefined;
    for (const [key, value] of Object.entries(labels)) {
      for (const [selector, item] of this.byLabel.get(key)?.get(value) ?? []) {
        yield selector.matches(labels) ? item : undefined;
      }
    }
  }
}
