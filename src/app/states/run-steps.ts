import type { TimeSlices } from './time-slices.js';

/**
 * Runs a computation of the core in time slices.
 * @throws {ServiceError} as `TimeSlices.pause`
 */
export function runSteps<Result>(steps: Generator<undefined, Result>, slices: TimeSlices): Promise<Result> {
  return slices.run(steps);
}
