/** A part of some changes, and whether leaving out any one of them was tried. */
export interface FoundPart<Item> {
  readonly part: readonly Item[];
  readonly isSmallest: boolean;
}

/**
 * Reduces items to a part that still suffices, and from which no single item can be left out. There may be other such parts.
 *
 * Source: Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28(2), 2002: `ddmin`.
 *
 * @param items together they suffice
 * @param suffices is called for parts, at most once for each try
 * @param mayContinue asked before each try; if not, the part found so far is returned
 */
export async function smallestPart<Item>(
  items: readonly Item[],
  suffices: (part: readonly Item[]) => Promise<boolean>,
  mayContinue: () => boolean,
): Promise<FoundPart<Item>> {
  let part = items;
  let chunks = 2;
  while (part.length > 1) {
    const size = Math.ceil(part.length / chunks);
    const smaller = await firstThat(tries(part, size, chunks), suffices, mayContinue);
    if (smaller === 'stopped') return { part, isSmallest: false };
    if (smaller !== undefined) {
      chunks = smaller.length <= size ? 2 : Math.max(chunks - 1, 2);
      part = smaller;
    } else if (size === 1) return { part, isSmallest: true };
    else chunks = Math.min(chunks * 2, part.length);
  }
  return { part, isSmallest: true };
}

/** Each chunk alone, then everything without each chunk. With two chunks, these are the same. */
function* tries<Item>(items: readonly Item[], size: number, chunks: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
  if (chunks === 2) return;
  for (let start = 0; start < items.length; start += size) {
    yield [...items.slice(0, start), ...items.slice(start + size)];
  }
}

async function firstThat<Item>(
  parts: Iterable<readonly Item[]>,
  suffices: (part: readonly Item[]) => Promise<boolean>,
  mayContinue: () => boolean,
): Promise<readonly Item[] | 'stopped' | undefined> {
  for (const part of parts) {
    if (!mayContinue()) return 'stopped';
    if (await suffices(part)) return part;
  }
  return undefined;
}
