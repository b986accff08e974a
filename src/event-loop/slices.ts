import { turns, type Computation } from './turns.js';

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
export class Slices implements Computation {
  readonly order = turns.begin();
  used = 0;
  private began: number;
  /** How long this slice may be. */
  private ms: number;

  constructor(private readonly sliceMs = SLICE_MS) {
    this.ms = sliceMs;
    this.began = performance.now();
  }

  /** Whether this slice is used up, or the turn of the event loop by other computations. */
  due(): boolean {
    const now = performance.now();
    return now >= this.began + this.ms || turns.isOver(now);
  }

  /** Yields to other work. */
  async pause(): Promise<void> {
    this.used++;
    this.ms = Math.min(this.sliceMs, await turns.next(this));
    this.began = performance.now();
  }

  /** Runs a computation of the core, which yields after each step. Of many that begin in one turn, some wait for the next before their first step. */
  async run<Result>(steps: Generator<undefined, Result>): Promise<Result> {
    for (;;) {
      if (this.due()) await this.pause();
      const step = steps.next();
      if (step.done === true) return step.value;
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
