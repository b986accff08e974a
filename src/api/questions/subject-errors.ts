import type { ErrorDetail } from '../../app/errors/service-error.js';
import {
  questionFaults,
  type PlacementQuestion,
  type PlacementSubject,
} from '../../app/placements/placement-request.js';

/**
 * Whoever misspells a field learns at once what of the manifest is to be mended, too. Only what has its type is looked at: the rest
 * is named already.
 */
export function subjectFaults(
  { pod, workload, podRef, workloadRef }: PlacementSubject,
  more: Pick<PlacementQuestion, 'filters'> = {},
): readonly ErrorDetail[] {
  const readable = Object.entries({ pod, workload, podRef, workloadRef }).filter(([, value]) => isObject(value));
  return questionFaults({ ...Object.fromEntries(readable), ...more });
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
