import type { TimeSlices } from './time-slices.js';

/**
 * Runs work of the core that comes in short steps, in slices of time.
 * @throws {ServiceError} as `TimeSlices.pause`
 */
export function runSteps<Result>(steps: Generator<undefined, Result>, slices: TimeSlices): Promise<Result> {
  return slices.run(steps);
}
