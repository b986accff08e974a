import type { TimeSlices } from './time-slices.js';

/**
 * Runs concurrently requested work serially, in time slices. Otherwise a caller such as a GraphQL executor, which
 * requests all of it together, would block the event loop until all of it is done.
 */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly slices: TimeSlices) {}

  /** @throws {ServiceError} `cancelled`, `budget-exceeded`; later work fails with the same error */
  run<Result>(steps: Generator<undefined, Result>): Promise<Result> {
    const task = this.last.then(() => this.slices.render(steps));
    this.last = task;
    // The caller of `run` receives its error.
    this.last.catch(() => undefined);
    return task;
  }
}
