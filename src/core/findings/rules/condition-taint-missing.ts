import type { ClusterRule } from '../cluster-rule.js';
import { stepDifferencesByReason } from '../lifecycle-findings.js';

/** Nodes that lack the taint of one of their conditions or of their cordon, one finding per taint. */
export const conditionTaintMissing: ClusterRule = function* ({ state }) {
  const differences = yield* stepDifferencesByReason(state, 'missing');
  return differences.map(({ taint, why, nodes }) => ({
    code: 'condition-taint-missing',
    severity: taint.effect === 'NoExecute' ? 'info' : 'warning',
    subject: { kind: 'Cluster' },
    message: why,
    suggestions: [
      {
        text: 'Check that kube-controller-manager runs its node-lifecycle-controller, then take another snapshot.',
      },
    ],
    occurrences: nodes,
  }));
};
