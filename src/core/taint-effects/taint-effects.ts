import type { Workload } from '../cluster/pod-table.js';
import type { Listed } from '../collections/first-few.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { IntOrString, Timestamp } from '../kubernetes/objects/meta.js';

/** What a change of the taints, cordons and labels of some nodes does. Plain data: it can be kept as JSON and read back. */
export interface TaintEffects {
  readonly evictions: EvictionEffects;
  readonly workloads: FeasibilityEffects;
  readonly warnings: Listed<EffectWarning>;
  /** Kinds that were never loaded, and what is not known for lack of them. */
  readonly notConsidered: readonly { readonly kind: KeptKind; readonly why: string }[];
}

/** What the taint eviction controller makes of the pods on the edited nodes, as far as the change alters it. */
export interface EvictionEffects {
  readonly counts: EvictionCounts;
  /** The workloads with pods that go now or later, most pods at once first. */
  readonly byWorkload: Listed<WorkloadEvictions>;
  /** Those that go now first, then those that go later (soonest first), then cancelled ones, then those that stay. */
  readonly pods: Listed<PodEviction>;
}

export interface EvictionCounts {
  /** Deleted as soon as the controller sees the taint. */
  readonly now: number;
  /** Deleted when the shortest of the tolerations used has run out, unless the taint goes before. */
  readonly after: number;
  /** Touched by a new NoExecute taint, and tolerating it for ever. */
  readonly never: number;
  /** Were to be deleted at some time, and now are not. */
  readonly cancelled: number;
  /** Were to be deleted at some time, and still are then: a timer that runs is never changed. Not listed. */
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
  /** The pod itself where nothing controls it. */
  readonly workload: Workload;
  readonly when: 'now' | 'after' | 'never' | 'cancelled';
  /** How long it stays, where `when` is `after`; counted from the moment when the controller sees the taint. */
  readonly seconds?: number;
  /** When that is, if the controller sees the taint at `now`. */
  readonly at?: Timestamp;
  /** What decides; absent for a cancelled eviction. */
  readonly because?: EvictionCause;
  /** What is particular about the pod: a static pod, one that has ended, one that is being deleted already. */
  readonly note?: string;
}

export interface EvictionCause {
  /** The NoExecute taint, as kubectl prints it: the first that is not tolerated, else the one tolerated for the shortest time. */
  readonly taint: string;
  /** The toleration of the pod that is used for it; absent where none matches. */
  readonly toleration?: {
    readonly index: number;
    /** `spec.tolerations[0]`. */
    readonly field: string;
  };
}

/** Which workloads have other nodes to go to than before, judged by taints, cordons and labels alone. */
export interface FeasibilityEffects {
  /** Numbers of entries, listed or not. */
  readonly counts: {
    readonly lost: number;
    readonly gained: number;
    readonly becameInfeasible: number;
    readonly becameFeasible: number;
  };
  /** Those that became infeasible first, then by namespace, kind and name. */
  readonly entries: Listed<WorkloadFeasibility>;
}

/** The pods of one workload that demand the same of a node. A workload in the middle of a rollout may have two entries. */
export interface WorkloadFeasibility {
  readonly workload: Workload;
  /** How many pods there are, those that ended left out; 0 where the workload's template speaks for it. */
  readonly pods: number;
  readonly feasibleBefore: number;
  readonly feasibleAfter: number;
  /** Edited nodes that were feasible and are not, by name. */
  readonly lost: Listed<string>;
  /** Edited nodes that are feasible and were not, by name. */
  readonly gained: Listed<string>;
  /** No node is left, where there was one. */
  readonly becameInfeasible: boolean;
  /** There is a node, where there was none. */
  readonly becameFeasible: boolean;
}

export type EffectWarningCode =
  /** A new taint (or the new taints together) that nobody tolerates but DaemonSets and static pods. */
  | 'pool-nobody-tolerates'
  /** A workload is left without a node. */
  | 'last-feasible-node-lost'
  /** Every node of a zone, or of the cluster, is tainted or cordoned. */
  | 'zone-closed'
  | 'cluster-closed'
  /** The change touches nodes of the control plane; or opens them for ordinary pods. */
  | 'control-plane-node'
  | 'control-plane-opened'
  /** A DaemonSet's pods do not belong on nodes any more on which they did. */
  | 'daemonset-stops'
  /** NoExecute takes pods that a PodDisruptionBudget selects. */
  | 'pdb-not-respected'
  /** The node lifecycle controller undoes it. */
  | 'managed-taint-undone'
  /** The key belongs to a controller that sets it and takes it off for reasons of its own. */
  | 'taint-key-owned'
  /** A key that nothing knows any more. */
  | 'legacy-taint-key';

/** Something about the change that a person should know before making it. */
export interface EffectWarning {
  readonly code: EffectWarningCode;
  /** A sentence or two. */
  readonly message: string;
  /** The edited nodes that it is about, by name. */
  readonly nodes?: Listed<string>;
  readonly workload?: Workload;
  /** The taints that it is about, as kubectl prints them. No others stand in the message. */
  readonly taints?: readonly string[];
  readonly zone?: string;
  readonly budget?: BudgetAtRisk;
}

/** A PodDisruptionBudget, and how many of its pods go without its being asked. */
export interface BudgetAtRisk {
  readonly namespace: string;
  readonly name: string;
  readonly minAvailable?: IntOrString;
  readonly maxUnavailable?: IntOrString;
  readonly now: number;
  readonly after: number;
  /** As its status says; absent where that does not. */
  readonly currentHealthy?: number;
  readonly disruptionsAllowed?: number;
}
