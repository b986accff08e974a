import type { TimeSlices } from './time-slices.js';

/**
 * Runs work of the core that comes in short steps, in slices of time.
 * @throws {ServiceError} as `TimeSlices.pause`
 */
export async function runSteps<Result>(steps: Generator<undefined, Result>, slices: TimeSlices): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (slices.due()) await slices.pause();
  }
}
