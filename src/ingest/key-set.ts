/**
 * A set of strings that stores a 64-bit hash of each: 16 bytes per entry, regardless of string length.
 *
 * Each set has its own seed, so that nobody can prepare colliding strings. The probability that any two of a million
 * different strings collide is 3 in 100 million.
 */
export class KeySet {
  private slots = new Uint32Array(2 * 1024);
  size = 0;

  /** @param seed any 32 bits */
  constructor(private readonly seed: number) {}

  has(key: string): boolean {
    const [high, low] = this.hash(key);
    return this.slots[this.slotOf(this.slots, high, low) + 1] !== 0;
  }

  /** Adds a string. @returns whether it was new */
  add(key: string): boolean {
    const [high, low] = this.hash(key);
    const slot = this.slotOf(this.slots, high, low);
    if (this.slots[slot + 1] !== 0) return false;
    this.slots[slot] = high;
    this.slots[slot + 1] = low;
    if (++this.size * 4 > this.slots.length) this.grow();
    return true;
  }

  private grow(): void {
    const grown = new Uint32Array(this.slots.length * 2);
    for (let from = 0; from < this.slots.length; from += 2) {
      const high = this.slots[from]!;
      const low = this.slots[from + 1]!;
      if (low === 0) continue;
      const slot = this.slotOf(grown, high, low);
      grown[slot] = high;
      grown[slot + 1] = low;
    }
    this.slots = grown;
  }

  /** The slot that contains the hash, or the empty slot for it. */
  private slotOf(slots: Uint32Array, high: number, low: number): number {
    const mask = slots.length - 2;
    let slot = (low * 2) & mask;
    while (slots[slot + 1] !== 0 && (slots[slot] !== high || slots[slot + 1] !== low)) slot = (slot + 2) & mask;
    return slot;
  }

  /** Two mixed multiplicative hashes. The lower half is never 0, which marks an empty slot. */
  private hash(key: string): [high: number, low: number] {
    let high = 0xdeadbeef ^ this.seed;
    let low = 0x41c6ce57 ^ this.seed;
    for (let index = 0; index < key.length; index++) {
      const code = key.charCodeAt(index);
      high = Math.imul(high ^ code, 2654435761);
      low = Math.imul(low ^ code, 1597334677);
    }
    high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
    low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
    return [high >>> 0, low >>> 0 || 1];
  }
}
