import type { ErrorDetail } from '../../app/errors/service-error.js';
import {
  questionFaults,
  type PlacementQuestion,
  type PlacementSubject,
} from '../../app/placements/placement-request.js';

/**
 * Errors in the manifest of a request that is already rejected for its fields, so that the caller gets all of them
 * together. Checks only members of the right type; the others have been reported.
 */
export function subjectFaults(
  { pod, workload, podRef, workloadRef }: PlacementSubject,
  more: Pick<PlacementQuestion, 'filters'> = {},
): readonly ErrorDetail[] {
  const readable = Object.entries({ pod, workload, podRef, workloadRef }).filter(([, value]) => isObject(value));
  return questionFaults({ ...Object.fromEntries(readable), ...more });
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
