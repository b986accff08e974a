import type { Selector } from '../kubernetes/label-selector.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { BudgetStanding } from '../disruption/budget-standing.js';
import type { DrainDecision, DrainFilterOptions } from '../disruption/drain-filters.js';
import type { EvictionReview } from '../disruption/eviction-review.js';
import type { NeverReplaced, Refusal, ReschedulingUnknown, ReschedulingVerdict } from '../rescheduling/rescheduling.js';

/** The flags of `kubectl drain`. */
export interface DrainOptions extends DrainFilterOptions {
  /** Deletes pods instead of evicting them, which bypasses budgets. */
  readonly disableEviction: boolean;
  /** The pods of a node that are drained. */
  readonly podSelector: Selector;
  /** Overrides each pod's grace period; negative keeps the pod's own. */
  readonly gracePeriodSeconds: number;
  /** How long kubectl waits for one node; zero means forever. */
  readonly timeoutSeconds: number;
}

/** How nodes are drained one after another. */
export interface RollingOptions {
  /** Number of nodes drained in parallel. */
  readonly maxParallel: number;
  /** Seconds from the placement of a replacement on a node until it is ready. */
  readonly replacementReadySeconds: number;
}

export interface DrainQuestion {
  /** Indexes of nodes, in drain order. */
  readonly nodes: readonly number[];
  readonly options: DrainOptions;
  /** The NoExecute taint that the drain is compared with. */
  readonly taint: Taint;
  readonly rolling: RollingOptions;
  /** When the first drain starts, in milliseconds since the epoch. */
  readonly now: number;
  readonly gates: TolerationGates;
}

/** The effect of NoExecute taints on a pod. */
export interface NoExecuteOutcome {
  readonly action: 'now' | 'after' | 'never';
  /** Present for `after`. */
  readonly afterSeconds: number | null;
  /**
   * The deciding taint: the first that is not tolerated, else the one tolerated for the shortest time, else the
   * requested one.
   */
  readonly taint: Taint;
  /** The index in the pod's list of the toleration used for that taint; null if the taint is not tolerated. */
  readonly toleration: number | null;
}

/** How a drain and NoExecute differ for a pod. */
export type DrainDifference =
  /** A drain ignores a DaemonSet's pod, but NoExecute deletes it. */
  | 'daemonSetPodStays'
  /** A budget refuses the eviction; NoExecute bypasses budgets. */
  | 'budgetNotAsked'
  /** kubectl refuses to evict the pod; NoExecute deletes it. */
  | 'refusedByKubectl'
  /** A drain skips a mirror pod; NoExecute deletes the object, and the static pod keeps running. */
  | 'mirrorPod'
  /** The drain evicts the pod, but the pod tolerates the taints without a time limit. */
  | 'tolerated'
  /** The drain evicts the pod immediately, NoExecute later. */
  | 'later'
  /** Only the pods that the selector matches are drained. */
  | 'notSelected'
  /** kubectl no longer waits for a pod that is being deleted. */
  | 'skippedAsDeleted';

/** The Eviction API's response if only the pod's node were drained now. */
export type FirstTry =
  | {
      readonly review: EvictionReview;
      /** `stored` if the status that the disruption controller would write is not known. */
      readonly basedOn: 'computed' | 'stored';
    }
  | { readonly unknown: string };

/** The pod that a controller creates in the place of an evicted one. Times are milliseconds since the epoch. */
export interface RollingReplacement {
  /** When it is created. Absent if it never is, or if this is not known. */
  readonly at?: number;
  /** Why there is none. */
  readonly never?: NeverReplaced;
  /** Absent exactly if there is no replacement. */
  readonly verdict?: ReschedulingVerdict;
  /** The node that it gets, and when. */
  readonly node?: number;
  readonly landedAt?: number;
  /** Absent also if the evicted pod was not ready. */
  readonly readyAt?: number;
  /** Why there was no node when it was created; absent beyond the number of pods that are explained. */
  readonly refusal?: Refusal;
  readonly unknownBecause?: readonly ReschedulingUnknown[];
}

/** What happens to a pod in the rolling drain. */
export interface RollingPod {
  /** `evicted`: the Eviction API granted the eviction, or the pod was deleted without the Eviction API. */
  readonly outcome: 'evicted' | 'blocked' | 'timedOut' | 'failed' | 'notReached' | 'unknown';
  /** When the eviction is granted, and when the pod is gone, in milliseconds since the epoch. */
  readonly evictedAt?: number;
  readonly goneAt?: number;
  /** How often kubectl requests the eviction; absent if it does so forever, or never. */
  readonly tries?: number;
  /** The round, from 1, in which the pod is evicted; each moment at which pods of its node are evicted is a round. */
  readonly round?: number;
  /** Present for `evicted`. */
  readonly replacement?: RollingReplacement;
}

/** A pod of a drained node. */
export interface DrainedPod {
  readonly pod: number;
  /** Index into `DrainPlan.nodes`. */
  readonly node: number;
  /** Absent if the pod is not selected. */
  readonly decision?: DrainDecision;
  /** Budgets that select it: indexes into the matches. */
  readonly guards: readonly number[];
  /** Absent if the drain would not evict it. */
  readonly firstTry?: FirstTry;
  readonly noExecute: NoExecuteOutcome;
  readonly difference?: DrainDifference;
  /** Absent if the drain would not evict it. */
  readonly rolling?: RollingPod;
}

export type NodeDrainOutcome =
  /** Every pod is gone, and every replacement has a node. */
  | 'drained'
  /** Every pod is gone, but some are not replaced: there is no node, or an ordinal before theirs is not ready. */
  | 'podsPending'
  /** kubectl reports errors and evicts no pod. */
  | 'refused'
  /** An eviction is never granted, and kubectl retries forever. */
  | 'blocked'
  /** kubectl gives up at its timeout. */
  | 'timedOut'
  /** An eviction fails with an error that is not retried. */
  | 'failed'
  /** Its kubelet is unreachable, so evicted pods remain. */
  | 'stuck'
  /** It depends on data that is not stored, or on something that is not simulated; see `unknownBecause`. */
  | 'unknown'
  /** An earlier node is never done. */
  | 'notReached';

export interface DrainedNode {
  readonly node: number;
  /** False if kubectl finds errors. The node is cordoned anyway, because that happens first. */
  readonly starts: boolean;
  /** kubectl's texts. */
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
  readonly counts: {
    /** All pods of the node. */
    readonly pods: number;
    readonly selected: number;
    readonly toDelete: number;
    /** The number of these that the Eviction API would refuse now. */
    readonly refusedNow: number;
    /** By NoExecute. */
    readonly now: number;
    readonly after: number;
    readonly never: number;
  };
  /** Its Ready condition is Unknown: its pods never terminate, unless the node is marked out of service. */
  readonly kubeletSilent: boolean;
  readonly outcome: NodeDrainOutcome;
  /** Milliseconds since the epoch; absent if it never happens, or is not known. */
  readonly startsAt?: number;
  readonly endsAt?: number;
  /** Number of moments at which pods are evicted. */
  readonly rounds: number;
  /** Pods of this node that were evicted and end without a replacement on a node, as in `podsPending`. */
  readonly withoutNode: readonly { readonly pod: number; readonly replacement: RollingReplacement }[];
  /** Why the outcome, or the node of a replacement, is not known; each reason once. */
  readonly unknownBecause: readonly string[];
}

/** Why a budget blocks pods forever. */
export type BlockReason =
  /** Even if every pod is healthy it allows no disruption. */
  | 'neverAllows'
  /** Too few of its pods are healthy, and no event of the plan makes more of them healthy. */
  | 'notEnoughHealthy'
  | 'syncFails'
  | 'unknown';

export interface BlockingBudget {
  /** Index into the matches. */
  readonly budget: number;
  readonly why: BlockReason;
  /** The pods that it blocks. */
  readonly pods: number;
  readonly nodes: number;
}

export interface DrainPlan {
  /** In the requested order. */
  readonly nodes: readonly DrainedNode[];
  /** By node in that order, then by namespace and name. */
  readonly pods: readonly DrainedPod[];
  /** The budgets that select any of those pods, by their index into the matches. */
  readonly budgets: ReadonlyMap<number, BudgetStanding>;
  /** Budgets for which evictions wait forever, or until the timeout, most pods first. */
  readonly blocking: readonly BlockingBudget[];
  readonly differences: ReadonlyMap<DrainDifference, number>;
  /** The assumptions behind the times. */
  readonly assumptions: readonly string[];
  /**
   * When the last node is drained, in milliseconds since the epoch; absent if a node never is, or if this is not known.
   */
  readonly endsAt?: number;
}
