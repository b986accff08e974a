import { seededNumbers } from '../../src/core/scheduling/seeded-numbers.js';

/** A small seeded random number generator: the same seed produces the same sequence on every machine. */
export class Random {
  /** The next number from 0 (inclusive) to 1 (exclusive). */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seededNumbers(seed);
  }

  /** An integer from 0 (inclusive) to the limit (exclusive). */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }

  /** Mostly small indexes and seldom large ones: a rough power law over `0 .. limit - 1`. */
  skewed(limit: number): number {
    return Math.floor(limit * this.next() ** 3);
  }

  /** A suffix from the characters that Kubernetes uses in generated names (no vowels, no ambiguous characters). */
  suffix(length: number): string {
    const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
    let text = '';
    for (let i = 0; i < length; i++) text += alphabet[this.below(alphabet.length)]!;
    return text;
  }

  uid(): string {
    const hex = (length: number): string => {
      let text = '';
      while (text.length < length) text += this.below(65536).toString(16).padStart(4, '0');
      return text.slice(0, length);
    };
    return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
  }
}
