import { podRequests as requestsOf } from '../../../src/core/kubernetes/pod-resources/pod-requests.js';
import type { Op } from '../op.js';
import { podInVector } from './pod-in-vector.js';
import { listedAmounts, optionsOf } from './pod-resources-in-vector.js';

/** `{pod, options}` -> `{list, milli}`. */
export const podRequests: Op = { answer: (input) => listedAmounts(requestsOf(podInVector(input), optionsOf(input))) };
