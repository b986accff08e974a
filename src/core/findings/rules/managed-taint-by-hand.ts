import { formatTaint } from '../../kubernetes/taint.js';
import type { ClusterRule } from '../cluster-rule.js';
import { stepDifferencesByReason } from '../lifecycle-findings.js';

/** Nodes with a taint of the node lifecycle controller that no condition or cordon requires, one finding per taint. */
export const managedTaintByHand: ClusterRule = function* ({ state }) {
  const differences = yield* stepDifferencesByReason(state, 'notCalledFor');
  return differences.map(({ taint, why, nodes }) => ({
    code: 'managed-taint-by-hand',
    severity: 'warning',
    subject: { kind: 'Cluster' },
    message: why,
    suggestions: [
      {
        text: `Remove it: kubectl taint nodes NODE ${formatTaint({ key: taint.key, effect: taint.effect })}- . To keep pods off a node, cordon it or use your own key.`,
      },
    ],
    occurrences: nodes,
  }));
};
