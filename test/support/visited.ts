interface Iterated {
  next: (...given: unknown[]) => unknown;
}

const prototypeOf = (iterator: object): Iterated => Object.getPrototypeOf(iterator) as Iterated;

/** How many members of maps and sets are visited one after another while `work` runs: what it costs beyond looking up a few. */
export async function visited(work: () => unknown): Promise<number> {
  const prototypes = [prototypeOf(new Map().keys()), prototypeOf(new Set().keys())];
  const originals = prototypes.map(({ next }) => next);
  let count = 0;
  for (const [index, prototype] of prototypes.entries()) {
    prototype.next = function (this: unknown, ...given) {
      count += 1;
      return originals[index]!.apply(this, given);
    };
  }
  try {
    await work();
  } finally {
    for (const [index, prototype] of prototypes.entries()) prototype.next = originals[index]!;
  }
  return count;
}
