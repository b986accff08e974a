/** A part of some items that still has a property, and whether none of its items can be left out. */
export interface SmallestPart<Item> {
  readonly items: readonly Item[];
  readonly isMinimal: boolean;
}

/**
 * Leaves items out, in ever smaller parts, as long as what remains has a property that all of them have (delta debugging, the algorithm
 * `ddmin`). Another part may have it, too.
 *
 * @param isOverdue whether the time for trying is over
 */
export function* stepSmallestPart<Item>(
  all: readonly Item[],
  has: (part: readonly Item[]) => Generator<undefined, boolean>,
  isOverdue: () => boolean,
): Generator<undefined, SmallestPart<Item>> {
  let left = all;
  let parts = 2;
  while (left.length > 1) {
    const size = Math.ceil(left.length / parts);
    let smaller: readonly Item[] | undefined;
    for (let start = 0; start < left.length && smaller === undefined; start += size) {
      if (isOverdue()) return { items: left, isMinimal: false };
      const rest = [...left.slice(0, start), ...left.slice(start + size)];
      if (yield* has(rest)) smaller = rest;
    }
    if (smaller !== undefined) {
      left = smaller;
      parts = Math.max(parts - 1, 2);
    } else if (size === 1) break;
    else parts = Math.min(parts * 2, left.length);
  }
  return { items: left, isMinimal: true };
}
