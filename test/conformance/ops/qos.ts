import { computeQos, podQos } from '../../../src/core/resources/qos.js';
import type { Op } from '../op.js';
import { podInVector } from './pod-in-vector.js';

/** `{pod}` -> `{computed, get}`. */
export const qos: Op = {
  answer: (input) => {
    const pod = podInVector(input);
    return { computed: computeQos(pod), get: podQos(pod) };
  },
};
