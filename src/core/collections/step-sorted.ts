/** The number of items sorted or merged between two yields. */
const STRIDE = 512;

/**
 * The sorted items; items that compare as equal keep their order. A generator, so that the caller can let other work run in
 * between; it yields nothing.
 */
export function* stepSorted<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<undefined, readonly Item[]> {
  let runs: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += STRIDE) {
    runs.push(items.slice(start, start + STRIDE).sort(compare));
    yield undefined;
  }
  while (runs.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let index = 0; index < runs.length; index += 2) {
      const [a, b] = [runs[index]!, runs[index + 1]];
      merged.push(b === undefined ? a : yield* stepMerged(a, b, compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* stepMerged<Item>(
  a: readonly Item[],
  b: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<undefined, readonly Item[]> {
  const merged: Item[] = [];
  for (let [fromA, fromB] = [0, 0]; fromA < a.length || fromB < b.length;) {
    const takesA = fromB >= b.length || (fromA < a.length && compare(a[fromA]!, b[fromB]!) <= 0);
    merged.push(takesA ? a[fromA++]! : b[fromB++]!);
    if (merged.length % STRIDE === 0) yield undefined;
  }
  return merged;
}
