import type { Toleration } from '../../../src/core/kubernetes/objects/taints.js';
import { describeTolerations as textOf } from '../../../src/core/kubectl-text/describe-taints.js';
import type { Op } from '../op.js';

export const describeTolerations: Op = {
  answer: (input) => textOf((input['tolerations'] ?? []) as unknown as Toleration[]),
};
