import type { ClusterRule } from '../cluster-rule.js';
import { differencesByReason } from '../lifecycle-findings.js';

/** Nodes without the taint that one of their conditions or their cordon calls for, taint by taint. */
export const conditionTaintMissing: ClusterRule = ({ state }) =>
  differencesByReason(state, 'missing').map(({ taint, why, nodes }) => ({
    code: 'condition-taint-missing',
    severity: taint.effect === 'NoExecute' ? 'info' : 'warning',
    subject: { kind: 'Cluster' },
    message: why,
    suggestions: [
      {
        text: 'Look whether kube-controller-manager runs with its controller node-lifecycle-controller, and take the snapshot again.',
      },
    ],
    occurrences: nodes,
  }));
