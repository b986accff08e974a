import { minTolerationTime as answer } from '../../../src/core/eviction/eviction-time.js';
import type { Toleration } from '../../../src/core/kubernetes/objects/taints.js';
import type { Op } from '../op.js';

export const minTolerationTime: Op = {
  answer: (input) => String(answer((input as unknown as { tolerations: Toleration[] }).tolerations)),
};
