import type { Workload } from '../cluster/pod-table.js';
import type { Listed } from '../collections/first-few.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { IntOrString, Timestamp } from '../kubernetes/objects/meta.js';

/**
 * The effects of changing the taints, cordons and labels of nodes. Plain data that survives a round trip through JSON.
 */
export interface TaintEffects {
  readonly evictions: EvictionEffects;
  readonly workloads: FeasibilityEffects;
  readonly warnings: Listed<EffectWarning>;
  /** Kinds that were never loaded, and what is therefore not known. */
  readonly notConsidered: readonly { readonly kind: KeptKind; readonly why: string }[];
}

/** The changes in what the taint eviction controller does to the pods on the edited nodes. */
export interface EvictionEffects {
  readonly counts: EvictionCounts;
  /** The workloads with pods that are evicted now or later, most immediate evictions first. */
  readonly byWorkload: Listed<WorkloadEvictions>;
  /** Pods evicted now, then those evicted later (soonest first), then cancelled evictions, then pods that stay. */
  readonly pods: Listed<PodEviction>;
}

export interface EvictionCounts {
  /** Deleted as soon as the controller observes the taint. */
  readonly now: number;
  /** Deleted when the shortest of the tolerations used has expired, unless the taint is removed before. */
  readonly after: number;
  /** Affected by a new NoExecute taint, but tolerates it without a time limit. */
  readonly never: number;
  /** Was due to be deleted, and no longer is. */
  readonly cancelled: number;
  /** Was due to be deleted, and still is at the same time: a running timer is never changed. Not listed. */
  readonly pending: number;
}

export interface WorkloadEvictions {
  readonly workload: Workload;
  readonly now: number;
  readonly after: number;
}

/** One pod on an edited node. */
export interface PodEviction {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  /** The pod itself if it has no controller. */
  readonly workload: Workload;
  readonly when: 'now' | 'after' | 'never' | 'cancelled';
  /** How long it stays, if `when` is `after`; counted from when the controller observes the taint. */
  readonly seconds?: number;
  /** The time of the deletion, if the controller observes the taint at `now`. */
  readonly at?: Timestamp;
  /** The taint and the toleration that decide; absent for a cancelled eviction. */
  readonly because?: EvictionCause;
  /** Special cases: a static pod, a pod that has ended, a pod that is already being deleted. */
  readonly note?: string;
}

export interface EvictionCause {
  /**
   * The NoExecute taint in kubectl's notation: the first that is not tolerated, else the one tolerated for the shortest
   * time.
   */
  readonly taint: string;
  /** The pod's toleration used for it; absent if none matches. */
  readonly toleration?: {
    readonly index: number;
    /** `spec.tolerations[0]`. */
    readonly field: string;
  };
}

/** The workloads whose feasible nodes change, judged by taints, cordons and labels alone. */
export interface FeasibilityEffects {
  /** Number of entries, including those not listed. */
  readonly counts: {
    readonly lost: number;
    readonly gained: number;
    readonly becameInfeasible: number;
    readonly becameFeasible: number;
  };
  /** Those that became infeasible first, then by namespace, kind and name. */
  readonly entries: Listed<WorkloadFeasibility>;
}

/**
 * The pods of one workload with the same requirements on nodes. A workload that is being rolled out may have two
 * entries.
 */
export interface WorkloadFeasibility {
  readonly workload: Workload;
  /** Number of pods that have not ended; 0 if the entry is based on the workload's template. */
  readonly pods: number;
  readonly feasibleBefore: number;
  readonly feasibleAfter: number;
  /** Edited nodes that were feasible and are not, by name. */
  readonly lost: Listed<string>;
  /** Edited nodes that are feasible and were not, by name. */
  readonly gained: Listed<string>;
  /** No feasible node is left. */
  readonly becameInfeasible: boolean;
  /** There is a feasible node, and there was none. */
  readonly becameFeasible: boolean;
}

export type EffectWarningCode =
  /** A new taint, or a set of new taints, that only DaemonSets and static pods tolerate. */
  | 'pool-nobody-tolerates'
  /** A workload loses its last feasible node. */
  | 'last-feasible-node-lost'
  /** Every node of a zone, or of the cluster, is tainted or cordoned. */
  | 'zone-closed'
  | 'cluster-closed'
  /** The change affects control plane nodes, or opens them to ordinary pods. */
  | 'control-plane-node'
  | 'control-plane-opened'
  /** A DaemonSet no longer runs pods on nodes on which it did. */
  | 'daemonset-stops'
  /** NoExecute deletes pods that a PodDisruptionBudget selects. */
  | 'pdb-not-respected'
  /** The node lifecycle controller undoes it. */
  | 'managed-taint-undone'
  /** The key belongs to a controller that sets and removes it by its own rules. */
  | 'taint-key-owned'
  /** A key that no component uses any longer. */
  | 'legacy-taint-key';

/** A consequence of the change to consider before making it. */
export interface EffectWarning {
  readonly code: EffectWarningCode;
  readonly message: string;
  /** The edited nodes concerned, by name. */
  readonly nodes?: Listed<string>;
  readonly workload?: Workload;
  /** The taints concerned, in kubectl's notation. The message contains no others. */
  readonly taints?: readonly string[];
  readonly zone?: string;
  readonly budget?: BudgetAtRisk;
}

/** A PodDisruptionBudget, and how many of its pods are deleted regardless of it. */
export interface BudgetAtRisk {
  readonly namespace: string;
  readonly name: string;
  readonly minAvailable?: IntOrString;
  readonly maxUnavailable?: IntOrString;
  readonly now: number;
  readonly after: number;
  /** From its status; absent if the status lacks it. */
  readonly currentHealthy?: number;
  readonly disruptionsAllowed?: number;
}
