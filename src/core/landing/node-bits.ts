/** A bit for each node, 32 to a word. */
export const bitsFor = (nodes: number): Uint32Array => new Uint32Array((nodes + 31) >> 5);

export const hasBit = (bits: Uint32Array, node: number): boolean => ((bits[node >> 5]! >>> (node & 31)) & 1) === 1;

export function setBit(bits: Uint32Array, node: number, on: boolean): void {
  const bit = 1 << (node & 31);
  if (on) bits[node >> 5]! |= bit;
  else bits[node >> 5]! &= ~bit;
}

/** How many bits two sets have in common. */
export function countCommon(a: Uint32Array, b: Uint32Array): number {
  let count = 0;
  for (let word = 0; word < a.length; word++) {
    const common = a[word]! & b[word]!;
    if (common !== 0) count += bitsIn(common);
  }
  return count;
}

/** Calls for each node whose bit two sets have in common, in order. */
export function eachCommon(a: Uint32Array, b: Uint32Array, visit: (node: number) => void): void {
  for (let word = 0; word < a.length; word++) {
    for (let rest = a[word]! & b[word]!; rest !== 0; rest &= rest - 1) {
      visit((word << 5) + 31 - Math.clz32(rest & -rest));
    }
  }
}

/** The number of ones in 32 bits, added up in parallel. */
function bitsIn(word: number): number {
  let sums = word - ((word >>> 1) & 0x55555555);
  sums = (sums & 0x33333333) + ((sums >>> 2) & 0x33333333);
  return Math.imul((sums + (sums >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
