import { seededNumbers } from '../../src/core/scheduling/seeded-numbers.js';

/** What random tests are made of: the same throws for one seed, on every machine. */
export class Dice {
  private readonly next: () => number;

  constructor(seed: number) {
    this.next = seededNumbers(seed);
  }

  /** An integer from 0 up to, and without, the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  one<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }

  /** Those that a throw each lets stay. */
  some<Item>(items: readonly Item[], percent: number): Item[] {
    return items.filter(() => this.chance(percent));
  }

  chance(percent: number): boolean {
    return this.next() * 100 < percent;
  }
}
