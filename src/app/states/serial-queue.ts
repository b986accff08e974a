import type { TimeSlices } from './time-slices.js';

/**
 * Pieces of work that are asked for all at once and done one after the other, in slices of time: what asks, such as an
 * executor of GraphQL, would otherwise hold the event loop until all of them are done.
 */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly slices: TimeSlices) {}

  /** @throws {ServiceError} `cancelled`, `budget-exceeded`; those that come after fail alike */
  run<Result>(work: () => Result): Promise<Result> {
    const turn = this.last.then(async () => {
      if (this.slices.due()) await this.slices.pause();
      return work();
    });
    this.last = turn;
    // Who asked for it hears of its failure.
    this.last.catch(() => undefined);
    return turn;
  }
}
