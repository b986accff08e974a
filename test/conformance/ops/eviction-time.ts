import { evictionTime as answer } from '../../../src/core/eviction/eviction-time.js';
import type { Taint, Toleration } from '../../../src/core/kubernetes/objects/taints.js';
import type { Op } from '../op.js';
import { tolerationGates } from './toleration-gates.js';

export const evictionTime: Op = {
  answer: (input) => {
    const { tolerations, taints } = input as unknown as { tolerations: Toleration[]; taints: Taint[] };
    const time = answer(tolerations, taints, tolerationGates(input));
    if (time.action === 'none') return { action: 'none', noExecute: 0 };
    const { action, noExecute } = time;
    if (time.untolerated !== undefined) return { action, noExecute, allTolerated: false, used: [] };
    return {
      action,
      noExecute,
      allTolerated: true,
      used: time.used.map(asGoWrites),
      minTolerationNs: String(time.delay),
      ...(action === 'after' && { afterNs: String(time.delay) }),
    };
  },
};

/** Go leaves empty texts out when it writes a toleration. */
const asGoWrites = (toleration: Toleration): object =>
  Object.fromEntries(Object.entries(toleration).filter(([, value]) => value !== ''));
