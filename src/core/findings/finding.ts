import { compare } from '../json/compare.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Toleration } from '../kubernetes/objects/taints.js';

/**
 * `error`: the API server refuses it. `warning`: it does something else than was likely meant. `info`: worth knowing.
 */
export type FindingSeverity = 'error' | 'warning' | 'info';

/** Every finding there is, by its stable code. */
export type FindingCode =
  | 'refused-by-api-server'
  | 'refused-by-admission'
  | 'tolerates-everything'
  | 'broad-toleration'
  | 'empty-effect'
  | 'unmatched-toleration'
  | 'pool-not-selected'
  | 'duplicate-toleration'
  | 'swallowed-toleration'
  | 'legacy-key'
  | 'default-toleration-blocked'
  | 'early-eviction'
  | 'memory-pressure-not-tolerated'
  | 'pod-on-intolerable-node'
  | 'pod-node-absent'
  | 'node-without-status'
  | 'legacy-taint'
  | 'condition-taint-missing'
  | 'managed-taint-by-hand'
  | 'pool-node-lacking'
  | 'pool-without-nodes'
  | 'pool-label-elsewhere'
  | 'pool-squatter'
  | 'pool-pod-not-kept'
  | 'pool-intruder';

/** What a finding is about: a pod, a workload of several pods, a node, or (`Cluster`, without a name) the cluster. */
export interface FindingSubject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A way out, in words, and where it is a piece of manifest, that piece. */
export interface FindingSuggestion {
  readonly text: string;
  /** To be put in the place of the toleration that the finding points to, or added where it points to none. */
  readonly toleration?: Toleration;
  /** To be added to `spec.nodeSelector`. */
  readonly nodeSelector?: Labels;
}

/** The objects that a finding was seen on, where it stands for several. */
export interface FindingOccurrences {
  readonly kind: 'Pod' | 'Node';
  readonly count: number;
  /** The first few: `namespace/name` of a pod, the name of a node. */
  readonly examples: readonly string[];
}

/** Something about tolerations or taints that a reader should know. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: FindingSeverity;
  readonly subject: FindingSubject;
  /** The field as Kubernetes writes it, `spec.tolerations[0]`, in the pod (or in the manifest that was given). */
  readonly field?: string;
  /** The same place as a JSON pointer. */
  readonly pointer?: string;
  /** Why, in a sentence or two. */
  readonly message: string;
  readonly suggestions: readonly FindingSuggestion[];
  /** PodDisruptionBudgets that the message is about, as `namespace/name`. */
  readonly budgets?: readonly string[];
  readonly occurrences?: FindingOccurrences;
}

export const SEVERITIES: readonly FindingSeverity[] = ['error', 'warning', 'info'];

/** Errors first, then by code, subject and place. */
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
