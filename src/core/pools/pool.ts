import type { Selector } from '../kubernetes/label-selector.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { LabelSelector } from '../kubernetes/objects/selectors.js';
import type { Taint } from '../kubernetes/objects/taints.js';

/** Who may use a pool: whoever one of these names. At least one is given. */
export interface PoolUsers {
  readonly namespaces?: readonly string[];
  /** By the labels of the pod's namespace. */
  readonly namespaceSelector?: LabelSelector;
  /** The service accounts that pods run as, each as `namespace/name`. */
  readonly serviceAccounts?: readonly string[];
  /** The extended resource that a container of the pod requests, such as `nvidia.com/gpu`. */
  readonly extendedResource?: string;
}

/** Nodes that are there for some pods and closed to all others, as it was declared. */
export interface PoolSpec {
  readonly nodes: LabelSelector;
  /** What each of its nodes is to carry; at least one keeps pods off (NoSchedule or NoExecute). */
  readonly taints: readonly Taint[];
  /** What each of its nodes is to carry, and what its pods demand of a node. */
  readonly labels: Labels;
  readonly users: PoolUsers;
  /** Pods of these namespaces are neither changed nor refused, whoever they are. */
  readonly exemptNamespaces: readonly string[];
}

/** A declared pool, ready for questions. */
export interface Pool extends PoolSpec {
  readonly name: string;
  readonly nodeSelector: Selector;
  readonly namespaceSelector: Selector | undefined;
  /** Those of its taints that keep pods off. */
  readonly hardTaints: readonly Taint[];
}

/** Where the cluster's own components live. */
export const EXEMPT_UNLESS_TOLD: readonly string[] = ['kube-system'];
