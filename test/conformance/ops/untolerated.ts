import type { Taint, Toleration } from '../../../src/core/kubernetes/objects/taints.js';
import { findUntolerated } from '../../../src/core/kubernetes/toleration.js';
import type { Op } from '../op.js';
import { tolerationGates } from './toleration-gates.js';

export const untolerated: Op = {
  answer: (input) => {
    const { tolerations, taints, effects } = input as unknown as {
      tolerations: Toleration[];
      taints: Taint[];
      effects?: string[];
    };
    const taint = findUntolerated(tolerations, taints, effects, tolerationGates(input));
    // Go leaves an empty value out when it writes the taint.
    return taint === undefined ? null : { ...taint, value: taint.value === '' ? undefined : taint.value };
  },
};
