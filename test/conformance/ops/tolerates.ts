import type { Taint, Toleration } from '../../../src/core/kubernetes/objects/taints.js';
import { indexOfTolerating, toleratesTaint } from '../../../src/core/kubernetes/toleration.js';
import type { Op } from '../op.js';
import { tolerationGates } from './toleration-gates.js';

export const tolerates: Op = {
  answer: (input) => {
    const { tolerations, taint } = input as unknown as { tolerations: Toleration[]; taint: Taint };
    const gates = tolerationGates(input);
    return {
      any: indexOfTolerating(tolerations, taint, gates) !== -1,
      each: tolerations.map((toleration) => toleratesTaint(toleration, taint, gates)),
    };
  },
};
