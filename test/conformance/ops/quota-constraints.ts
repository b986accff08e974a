import { quotaConstraints as constraintsOf } from '../../../src/core/quota/quota-constraints.js';
import type { Op } from '../op.js';
import { podInVector } from './pod-in-vector.js';

/** `{pod, required}` -> why the pod may not be charged, or null. */
export const quotaConstraints: Op = {
  answer: (input) => constraintsOf(podInVector(input), input['required'] as string[]) ?? null,
};
