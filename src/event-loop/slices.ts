import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a slice blocks the event loop by default, in milliseconds. */
const SLICE_MS = 8;

/**
 * Splits long computations on the event loop into slices, so that short requests keep their latency:
 *
 *     for (const row of rows) {
 *       if (slices.due()) await slices.pause();
 *       work(row);
 *     }
 */
export class Slices {
  private ends: number;

  constructor(private readonly sliceMs = SLICE_MS) {
    this.ends = performance.now() + sliceMs;
  }

  /** Whether this slice is used up. */
  due(): boolean {
    return performance.now() >= this.ends;
  }

  /** Yields to other work. */
  async pause(): Promise<void> {
    await nextTurn();
    this.ends = performance.now() + this.sliceMs;
  }

  /** Runs a computation of the core, which yields after each step. */
  async run<Result>(steps: Generator<undefined, Result>): Promise<Result> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (this.due()) await this.pause();
    }
  }

  /** Maps each item. */
  async map<Item, Result>(items: Iterable<Item>, make: (item: Item) => Result): Promise<Result[]> {
    const results: Result[] = [];
    for (const item of items) {
      if (this.due()) await this.pause();
      results.push(make(item));
    }
    return results;
  }
}
