import type { Selector } from '../kubernetes/label-selector.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { BudgetStanding } from './budget-standing.js';
import type { DrainDecision, DrainFilterOptions } from './drain-filters.js';
import type { EvictionReview } from './eviction-review.js';

/** The flags of `kubectl drain`. */
export interface DrainOptions extends DrainFilterOptions {
  /** Deletes pods instead of evicting them: no budget is asked. */
  readonly disableEviction: boolean;
  /** Which pods of a node are drained. */
  readonly podSelector: Selector;
  /** Given to each pod in the place of its own; negative for its own. */
  readonly gracePeriodSeconds: number;
  /** How long kubectl waits for one node; zero for ever. */
  readonly timeoutSeconds: number;
}

/** How nodes are drained one after another. */
export interface RollingOptions {
  /** So many nodes at once. */
  readonly maxParallel: number;
  /** From the making of a pod's replacement until it is ready. */
  readonly replacementReadySeconds: number;
}

export interface DrainQuestion {
  /** Indices of nodes, in the order in which they are drained. */
  readonly nodes: readonly number[];
  readonly options: DrainOptions;
  /** The NoExecute taint that the drain is held against. */
  readonly taint: Taint;
  readonly rolling: RollingOptions;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly gates: TolerationGates;
}

/** What NoExecute taints do to a pod. */
export interface NoExecuteOutcome {
  readonly action: 'now' | 'after' | 'never';
  /** For `after`. */
  readonly afterSeconds: number | null;
  /** The taint that decides: the first that nothing tolerates, else that tolerated for the shortest time, else the one asked about. */
  readonly taint: Taint;
  /** The place in the pod's list of the toleration that is used for that taint; null where nothing tolerates it. */
  readonly toleration: number | null;
}

/** In what a drain and NoExecute differ for a pod. */
export type DrainDifference =
  /** A DaemonSet's pod stays in a drain and goes by NoExecute. */
  | 'daemonSetPodStays'
  /** A budget refuses the eviction; NoExecute asks none. */
  | 'budgetNotAsked'
  /** Kubectl refuses to touch the pod; NoExecute does not. */
  | 'refusedByKubectl'
  /** A mirror pod is passed over in a drain; NoExecute deletes its object, and the static pod runs on. */
  | 'mirrorPod'
  /** The drain takes the pod, and it tolerates the taints for ever. */
  | 'tolerated'
  /** The drain takes the pod at once, NoExecute later. */
  | 'later'
  /** Only the pods that the selector picks are drained. */
  | 'notSelected'
  /** Kubectl waits no longer for a pod that is being deleted. */
  | 'skippedAsDeleted';

/** What the Eviction API would answer, were the pod's node drained now and alone. */
export type FirstTry =
  | {
      readonly review: EvictionReview;
      /** `stored` where what the disruption controller would write is not known. */
      readonly basedOn: 'computed' | 'stored';
    }
  | { readonly unknown: string };

/** What becomes of a pod in the rolling drain. */
export interface RollingPod {
  /** `evicted`: let go by the Eviction API, or deleted where that is not asked. */
  readonly outcome: 'evicted' | 'blocked' | 'timedOut' | 'failed' | 'notReached' | 'unknown';
  /** When it is let go, and when it is gone, in milliseconds since the epoch. */
  readonly evictedAt?: number;
  readonly goneAt?: number;
  /** How often kubectl asks; absent where it does so for ever, or never comes to it. */
  readonly tries?: number;
  /** Which of the moments at which its node's pods are let go, counted from 1. */
  readonly round?: number;
}

/** One pod of a node that is drained. */
export interface DrainedPod {
  readonly pod: number;
  /** Index into `DrainPlan.nodes`. */
  readonly node: number;
  /** Absent where the pod is not selected. */
  readonly decision?: DrainDecision;
  /** Budgets that select it: indices into the matches. */
  readonly guards: readonly number[];
  /** Absent where the drain would not evict it. */
  readonly firstTry?: FirstTry;
  readonly noExecute: NoExecuteOutcome;
  readonly difference?: DrainDifference;
  /** Absent where the drain would not evict it. */
  readonly rolling?: RollingPod;
}

export type NodeDrainOutcome =
  /** Every pod is gone. */
  | 'drained'
  /** Kubectl names errors and touches no pod. */
  | 'refused'
  /** Some eviction is never granted, and kubectl asks for ever. */
  | 'blocked'
  /** Kubectl gives up at its timeout. */
  | 'timedOut'
  /** Some eviction is answered with an error that is not tried again. */
  | 'failed'
  /** Its kubelet does not answer, so that pods that were let go never are gone. */
  | 'stuck'
  /** It depends on what is not stored. */
  | 'unknown'
  /** An earlier node never ends. */
  | 'notReached';

export interface DrainedNode {
  readonly node: number;
  /** False where kubectl finds errors. The node is cordoned all the same: that comes first. */
  readonly starts: boolean;
  /** Kubectl's own texts. */
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
  readonly counts: {
    /** All pods of the node. */
    readonly pods: number;
    readonly selected: number;
    readonly toDelete: number;
    /** Of those, so many would be refused now by the Eviction API. */
    readonly refusedNow: number;
    /** By NoExecute. */
    readonly now: number;
    readonly after: number;
    readonly never: number;
  };
  /** Its Ready condition is Unknown: nobody ends its pods, unless it is marked out of service. */
  readonly kubeletSilent: boolean;
  readonly outcome: NodeDrainOutcome;
  /** Milliseconds since the epoch; absent where it never comes to that, or nobody knows. */
  readonly startsAt?: number;
  readonly endsAt?: number;
  /** At how many moments pods are let go. */
  readonly rounds: number;
}

/** Why a budget holds pods up for ever. */
export type BlockReason =
  /** Even with every pod healthy it allows no disruption. */
  | 'neverAllows'
  /** Too few of its pods are healthy, and nothing here makes more. */
  | 'notEnoughHealthy'
  | 'syncFails'
  | 'unknown';

export interface BlockingBudget {
  /** Index into the matches. */
  readonly budget: number;
  readonly why: BlockReason;
  /** The pods that it holds up. */
  readonly pods: number;
  readonly nodes: number;
}

export interface DrainPlan {
  /** In the order of the question. */
  readonly nodes: readonly DrainedNode[];
  /** By node in that order, then namespace and name. */
  readonly pods: readonly DrainedPod[];
  /** The budgets that select any of those pods, by their index into the matches. */
  readonly budgets: ReadonlyMap<number, BudgetStanding>;
  /** Budgets for which evictions wait for ever, or until the timeout, most pods first. */
  readonly blocking: readonly BlockingBudget[];
  readonly differences: ReadonlyMap<DrainDifference, number>;
  /** What the times rest on, in words. */
  readonly assumptions: readonly string[];
  /** When the last node is done, in milliseconds since the epoch; absent where some node never is, or nobody knows. */
  readonly endsAt?: number;
}
