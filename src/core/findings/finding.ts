import { compare } from '../json/compare.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Toleration } from '../kubernetes/objects/taints.js';

/** `error`: the API server refuses it. `warning`: it likely does not do what was meant. `info`: worth knowing. */
export type FindingSeverity = 'error' | 'warning' | 'info';

/** The stable codes of all findings. */
export type FindingCode =
  | 'refused-by-api-server'
  | 'refused-by-admission'
  | 'unknown-field'
  | 'tolerates-everything'
  | 'broad-toleration'
  | 'empty-effect'
  | 'unmatched-toleration'
  | 'pool-not-selected'
  | 'duplicate-toleration'
  | 'redundant-toleration'
  | 'legacy-key'
  | 'default-toleration-blocked'
  | 'early-eviction'
  | 'memory-pressure-not-tolerated'
  | 'pod-on-intolerable-node'
  | 'pod-node-absent'
  | 'claim-template-absent'
  | 'node-without-status'
  | 'legacy-taint'
  | 'condition-taint-missing'
  | 'managed-taint-by-hand'
  | 'budget-never-allows'
  | 'quota-admits-no-pod'
  | 'quota-matches-no-pod'
  | 'feature-gate-absent'
  | 'feature-gate-not-evaluated'
  | 'pool-node-lacking'
  | 'pool-without-nodes'
  | 'pool-label-elsewhere'
  | 'pool-unauthorized-pod'
  | 'pool-pod-not-kept'
  | 'pool-unauthorized-toleration';

/**
 * The subject of a finding: a pod, a workload of several pods, a node, a pool, a quota, a budget, or the cluster
 * (`Cluster`, without a name).
 */
export interface FindingSubject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A suggested correction as text, and as a piece of manifest where it is one. */
export interface FindingSuggestion {
  readonly text: string;
  /** Replaces the toleration that the finding points to; added if the finding points to none. */
  readonly toleration?: Toleration;
  /** Added to `spec.nodeSelector`. */
  readonly nodeSelector?: Labels;
}

/** The objects that a finding covers, if there are several. */
export interface FindingOccurrences {
  readonly kind: 'Pod' | 'Node';
  readonly count: number;
  /** The first few: `namespace/name` for a pod, the name for a node. */
  readonly examples: readonly string[];
}

/** A likely mistake in tolerations, taints, quotas or budgets, or a fact about them that is worth knowing. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: FindingSeverity;
  readonly subject: FindingSubject;
  /** The field in Kubernetes' notation, `spec.tolerations[0]`, in the pod or in the submitted manifest. */
  readonly field?: string;
  /** The same field as a JSON pointer. */
  readonly pointer?: string;
  /** The cause, in one or two sentences. */
  readonly message: string;
  readonly suggestions: readonly FindingSuggestion[];
  /** PodDisruptionBudgets that the message is about, as `namespace/name`. */
  readonly budgets?: readonly string[];
  readonly occurrences?: FindingOccurrences;
}

export const SEVERITIES: readonly FindingSeverity[] = ['error', 'warning', 'info'];

/** Sorts errors first, then by code, subject and field. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    compareText(a.code, b.code) ||
    compareText(a.subject.kind, b.subject.kind) ||
    compareText(a.subject.namespace, b.subject.namespace) ||
    compareText(a.subject.name, b.subject.name) ||
    compareText(a.pointer, b.pointer) ||
    compareText(a.message, b.message)
  );
}

const compareText = (a = '', b = ''): number => compare(a, b);
