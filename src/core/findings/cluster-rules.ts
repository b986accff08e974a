import type { ClusterRule } from './cluster-rule.js';
import { conditionTaintMissing } from './rules/condition-taint-missing.js';
import { legacyTaint } from './rules/legacy-taint.js';
import { managedTaintByHand } from './rules/managed-taint-by-hand.js';
import { nodeWithoutStatus } from './rules/node-without-status.js';
import { podNodeAbsent } from './rules/pod-node-absent.js';
import { podOnIntolerableNode } from './rules/pod-on-intolerable-node.js';

/** Every rule on a stored cluster as such; the rules on each of its pods are in pod-rules.ts. */
export const clusterRules: readonly ClusterRule[] = [
  nodeWithoutStatus,
  podNodeAbsent,
  podOnIntolerableNode,
  legacyTaint,
  conditionTaintMissing,
  managedTaintByHand,
];
