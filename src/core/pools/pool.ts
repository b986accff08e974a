import type { Selector } from '../kubernetes/label-selector.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { LabelSelector } from '../kubernetes/objects/selectors.js';
import type { Taint } from '../kubernetes/objects/taints.js';

/** The users of a pool: pods that match any of these rules. At least one is set. */
export interface PoolUsers {
  readonly namespaces?: readonly string[];
  /** Matches the labels of the pod's namespace. */
  readonly namespaceSelector?: LabelSelector;
  /** The pods' service accounts, each as `namespace/name`. */
  readonly serviceAccounts?: readonly string[];
  /** The extended resource that a container of the pod requests, such as `nvidia.com/gpu`. */
  readonly extendedResource?: string;
}

/** A declared pool: nodes that are reserved for some pods and closed to all others. */
export interface PoolSpec {
  readonly nodes: LabelSelector;
  /** The taints that each node should carry; at least one keeps pods off (NoSchedule or NoExecute). */
  readonly taints: readonly Taint[];
  /** The labels that each node should carry, and that its pods require of a node. */
  readonly labels: Labels;
  readonly users: PoolUsers;
  /** Pods of these namespaces are neither changed nor refused. */
  readonly exemptNamespaces: readonly string[];
}

/** A declared pool, prepared for evaluation. */
export interface Pool extends PoolSpec {
  readonly name: string;
  readonly nodeSelector: Selector;
  readonly namespaceSelector: Selector | undefined;
  /** The taints that keep pods off. */
  readonly hardTaints: readonly Taint[];
}

/** The namespace of the cluster's own components. */
export const EXEMPT_UNLESS_TOLD: readonly string[] = ['kube-system'];
