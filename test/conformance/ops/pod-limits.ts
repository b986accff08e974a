import { podLimits as limitsOf } from '../../../src/core/kubernetes/pod-resources/pod-limits.js';
import type { Op } from '../op.js';
import { podInVector } from './pod-in-vector.js';
import { listedAmounts, optionsOf } from './pod-resources-in-vector.js';

/** `{pod, options}` -> `{list, milli}`. */
export const podLimits: Op = { answer: (input) => listedAmounts(limitsOf(podInVector(input), optionsOf(input))) };
