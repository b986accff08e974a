import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one slice holds the event loop, in milliseconds. */
const SLICE_MS = 8;

/** Cuts long work on evidence into slices, so that short requests keep their latency beside it. */
export class Slices {
  private ends = performance.now() + SLICE_MS;

  /** Runs work of the core that comes in short steps. */
  async run<Result>(steps: Generator<undefined, Result>): Promise<Result> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await this.pauseIfDue();
    }
  }

  async map<Item, Result>(items: readonly Item[], make: (item: Item) => Result): Promise<Result[]> {
    const results: Result[] = [];
    for (const item of items) {
      results.push(make(item));
      await this.pauseIfDue();
    }
    return results;
  }

  private pauseIfDue(): Promise<void> | undefined {
    return performance.now() < this.ends ? undefined : this.pause();
  }

  private async pause(): Promise<void> {
    await nextTurn();
    this.ends = performance.now() + SLICE_MS;
  }
}
