import type { FieldPath } from '../kubernetes/field-path.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { PodSpec } from '../kubernetes/objects/pod.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { ClusterTaints } from './cluster-taints.js';
import type { DisruptionBudgets } from './disruption-budgets.js';
import type { FindingCode, FindingSeverity, FindingSuggestion } from './finding.js';

/** What a rule may look at. Tolerations are as written; admission has, or has not yet, added its own. */
export interface PodContext {
  readonly spec: PodSpec;
  readonly tolerations: readonly Toleration[];
  /** Where the pod's spec stands: `spec`, or `spec.template.spec`. */
  readonly path: FieldPath;
  readonly gates: TolerationGates;
  /** The taints of the cluster that the pod is for; absent for a manifest alone. */
  readonly cluster?: ClusterTaints;
  readonly budgets?: DisruptionBudgets;
  readonly namespace: string;
  readonly labels: Labels;
  /** The kind of the pod's outermost controller, or `Pod`. */
  readonly workloadKind: string;
}

/** A finding of a rule, before it is known for whom and how often. */
export interface PodFinding {
  readonly severity: FindingSeverity;
  /** Absent: the finding is about what is not there. */
  readonly at?: FieldPath;
  readonly message: string;
  readonly suggestions?: readonly FindingSuggestion[];
  /** PodDisruptionBudgets that the message is about, as `namespace/name`. */
  readonly budgets?: readonly string[];
  /** True where it is what agents on every node do on purpose: for a DaemonSet then only `info`. */
  readonly usualForDaemons?: boolean;
}

/**
 * One rule on pods.
 *
 * `reads` says how much of a pod decides, so that a whole cluster is judged by its distinct values first: `tolerations`
 * only the list (and the cluster's taints), `spec` the whole spec, `workload` the labels and the controller besides.
 */
export interface PodRule {
  readonly code: FindingCode;
  readonly reads: 'tolerations' | 'spec' | 'workload';
  readonly check: (pod: PodContext) => readonly PodFinding[];
}

/** The tolerations one by one, each with its place. */
export function eachToleration(
  { tolerations, path }: PodContext,
  check: (toleration: Toleration, at: FieldPath, index: number) => readonly PodFinding[],
): readonly PodFinding[] {
  return tolerations.flatMap((toleration, index) => check(toleration, path.child('tolerations').index(index), index));
}
