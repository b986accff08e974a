import type { FieldPath } from '../kubernetes/field-path.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { PodSpec } from '../kubernetes/objects/pod.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { ClusterTaints } from './cluster-taints.js';
import type { DisruptionBudgets } from './disruption-budgets.js';
import type { FindingCode, FindingSeverity, FindingSuggestion } from './finding.js';

/** The data that a rule can read. Tolerations are as written; admission may or may not have added its defaults. */
export interface PodContext {
  readonly spec: PodSpec;
  readonly tolerations: readonly Toleration[];
  /** Path of the pod spec: `spec`, or `spec.template.spec`. */
  readonly path: FieldPath;
  readonly gates: TolerationGates;
  /** The taints of the cluster; absent if a manifest is checked without a cluster. */
  readonly cluster?: ClusterTaints;
  readonly budgets?: DisruptionBudgets;
  readonly namespace: string;
  readonly labels: Labels;
  /** The kind of the pod's outermost controller, or `Pod`. */
  readonly workloadKind: string;
}

/** The result of a rule, without subject and number of occurrences. */
export interface PodFinding {
  readonly severity: FindingSeverity;
  /** Absent if the finding is about something missing. */
  readonly at?: FieldPath;
  readonly message: string;
  readonly suggestions?: readonly FindingSuggestion[];
  /** PodDisruptionBudgets that the message is about, as `namespace/name`. */
  readonly budgets?: readonly string[];
  /** Whether agents on every node do this on purpose; for a DaemonSet the severity is then `info`. */
  readonly usualForDaemons?: boolean;
}

/**
 * A rule about pods.
 *
 * `reads` says how much of a pod the result depends on, so that a cluster is checked by its distinct values:
 * `tolerations` (the list, and the cluster's taints), `spec` (the whole spec), or `workload` (the spec, the labels and
 * the controller).
 */
export interface PodRule {
  readonly code: FindingCode;
  readonly reads: 'tolerations' | 'spec' | 'workload';
  readonly check: (pod: PodContext) => readonly PodFinding[];
}

/** Calls `check` for each toleration with its field path. */
export function eachToleration(
  { tolerations, path }: PodContext,
  check: (toleration: Toleration, at: FieldPath, index: number) => readonly PodFinding[],
): readonly PodFinding[] {
  return tolerations.flatMap((toleration, index) => check(toleration, path.child('tolerations').index(index), index));
}
