import { seededNumbers } from '../../src/core/scheduling/seeded-numbers.js';

/** Random numbers for tests: the same for the same seed, on every machine. */
export class Dice {
  private readonly next: () => number;

  constructor(seed: number) {
    this.next = seededNumbers(seed);
  }

  /** An integer from 0 up to the limit, exclusive. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  one<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  /** A random selection: each item is kept with a probability of `percent`. */
  some<Item>(items: readonly Item[], percent: number): Item[] {
    return items.filter(() => this.chance(percent));
  }

  chance(percent: number): boolean {
    return this.next() * 100 < percent;
  }
}
