/**
 * Pseudorandom numbers from 0 (inclusive) to 1 (exclusive), the same for one seed on every machine (mulberry32 by Tommy
 * Ettinger, public domain).
 */
export function seededNumbers(seed: number): () => number {
  let current = seed >>> 0;
  return () => {
    current = (current + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(current ^ (current >>> 15), current | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
