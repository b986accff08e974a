import type { ClusterRule } from './cluster-rule.js';
import { budgetNeverAllows } from './rules/budget-never-allows.js';
import { claimTemplateAbsent } from './rules/claim-template-absent.js';
import { conditionTaintMissing } from './rules/condition-taint-missing.js';
import { featureGateAbsent, featureGateNotEvaluated } from './rules/feature-gates.js';
import { legacyTaint } from './rules/legacy-taint.js';
import { managedTaintByHand } from './rules/managed-taint-by-hand.js';
import { nodeWithoutStatus } from './rules/node-without-status.js';
import { podNodeAbsent } from './rules/pod-node-absent.js';
import { podOnIntolerableNode } from './rules/pod-on-intolerable-node.js';
import { poolUnauthorizedToleration } from './rules/pool-unauthorized-toleration.js';
import { poolLabelElsewhere } from './rules/pool-label-elsewhere.js';
import { poolNodeLacking } from './rules/pool-node-lacking.js';
import { poolPodNotKept } from './rules/pool-pod-not-kept.js';
import { poolUnauthorizedPod } from './rules/pool-unauthorized-pod.js';
import { poolWithoutNodes } from './rules/pool-without-nodes.js';
import { quotaAdmitsNoPod } from './rules/quota-admits-no-pod.js';
import { quotaMatchesNoPod } from './rules/quota-matches-no-pod.js';

/** Every rule about a stored cluster. The rules about its individual pods are in pod-rules.ts. */
export const clusterRules: readonly ClusterRule[] = [
  nodeWithoutStatus,
  podNodeAbsent,
  claimTemplateAbsent,
  podOnIntolerableNode,
  legacyTaint,
  conditionTaintMissing,
  managedTaintByHand,
  // Quotas and budgets.
  budgetNeverAllows,
  quotaAdmitsNoPod,
  quotaMatchesNoPod,
  // What is declared about the control plane.
  featureGateAbsent,
  featureGateNotEvaluated,
  // Declared pools.
  poolNodeLacking,
  poolWithoutNodes,
  poolLabelElsewhere,
  poolUnauthorizedPod,
  poolPodNotKept,
  poolUnauthorizedToleration,
];
