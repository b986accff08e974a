import type { Workload } from '../cluster/pod-table.js';
import type { Listed } from '../collections/first-few.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { AggregateMessage } from '../placement/aggregate-message.js';
import type { ReasonCount } from '../placement/roll-up.js';

/** Something that happens to nodes and pods of a state. Moments are milliseconds since the epoch; indices are the state's. */
export type ReschedulingEvent =
  /** The node's taints from now on, the whole list; `unschedulable` stays as it is by default; `gone`: the node is deleted. */
  | {
      readonly at: number;
      readonly kind: 'taints';
      readonly node: number;
      readonly taints: readonly Taint[];
      readonly unschedulable?: boolean;
      readonly gone?: boolean;
    }
  /** The pod is being deleted (`deletionTimestamp` is set): it still holds its room. */
  | { readonly at: number; readonly kind: 'marked'; readonly pod: number }
  /** The pod is no more, and its room is free. Never comes for a pod that is stuck Terminating. */
  | { readonly at: number; readonly kind: 'gone'; readonly pod: number };

/** Why no pod is made in place of one that leaves. */
export type NeverReplaced =
  /** Nothing controls it. */
  | 'barePod'
  /** A static pod's mirror: its kubelet runs it whatever the API server says. */
  | 'mirrorPod'
  /** It had Succeeded or Failed, and so counted for nothing any more. */
  | 'ended'
  | 'jobComplete'
  | 'jobSuspended'
  /** Its controller has as many as it wants without it: it was scaled down, perhaps to 0. */
  | 'notWanted'
  /** The controller that the pod names is not there. */
  | 'controllerGone'
  | 'controllerDeleting'
  /** It was being deleted before, and its controller has made another already. */
  | 'alreadyReplaced'
  /** Its controller makes another only when it is gone, and it does not go. */
  | 'stillTerminating'
  /** A StatefulSet makes its pods one after the other, and one with a lower ordinal is missing. */
  | 'waitsForLowerOrdinal'
  /** A DaemonSet's pod whose node does not admit it by its taints, or by its labels. */
  | 'nodeDoesNotAdmit'
  /** A DaemonSet's pod whose node is deleted. */
  | 'nodeGone';

/** Whether the replacement pod finds a node: feasible where it does, at once or later. */
export type ReschedulingVerdict = 'feasible' | 'none' | 'unknown';

export interface ReschedulingUnknown {
  readonly code: 'filterNotBuilt' | 'scoreFailed' | 'budget' | 'customController' | 'unreadableRequest';
  /** A sentence. */
  readonly message: string;
  /** The filter that is not built. */
  readonly plugin?: string;
}

/** Where a pod can go. */
export interface NodesFound {
  readonly feasible: number;
  /** Nodes that a filter may refuse whose answer is not known. */
  readonly unknown: number;
  /** The first few of the feasible nodes, those with the greatest totals first. */
  readonly best: readonly number[];
}

/** Why there is no node, as it stood when the pod was made. */
export interface Refusal {
  /** In Kubernetes' own words. */
  readonly message: AggregateMessage;
  /** Every reason, counted over the nodes; untolerated taints by name. */
  readonly reasons: readonly ReasonCount[];
}

/** One pod that leaves, and the one made in its place. */
export interface RescheduledPod {
  /** Index into `state.pods`. */
  readonly pod: number;
  readonly workload: Workload;
  /** The node that it leaves; absent where that is not stored. */
  readonly from?: string;
  readonly markedAt?: number;
  readonly goneAt?: number;
  /** When its controller makes another. Absent where it never does, and where that is not known. */
  readonly replacementAt?: number;
  readonly never?: NeverReplaced;
  /** Absent exactly where no other is made. */
  readonly verdict?: ReschedulingVerdict;
  /** The nodes that could take it when it is placed, and those that perhaps could; both 0 where there was none when it was made. */
  readonly feasibleNodes: number;
  readonly unknownNodes: number;
  /** The first few of the feasible nodes, those with the greatest totals first, by name where they are equal. */
  readonly nodes: readonly string[];
  /** The node that the plan puts it on, and when: later than `replacementAt` where it had to wait for room. */
  readonly chosen?: string;
  readonly landedAt?: number;
  /** Its place in the order in which the plan puts pods on nodes, from 1. */
  readonly order?: number;
  /** Where there was none when it was made, also if it is placed later. Absent for those beyond the number that is explained. */
  readonly refusal?: Refusal;
  readonly unknownBecause?: readonly ReschedulingUnknown[];
}

/** Amounts of a number of pods, or left on a number of nodes: thousandths of a core, and bytes. */
export interface Room {
  readonly milliCPU: Int64;
  readonly memory: Int64;
}

/** What happens at one moment. */
export interface ReschedulingMoment {
  readonly at: number;
  /** Pods marked for deletion. */
  readonly evicted: number;
  /** Pods whose room becomes free. */
  readonly gone: number;
  /** Replacement pods that are made. */
  readonly replaced: number;
  /** Pods that find a node now, those that waited included. */
  readonly landed: number;
  /** Of the pods made now: those for which there is no node. */
  readonly withoutNode: number;
  /** Pods of which it turns out now that their new node is not known, or whether another is made at all. */
  readonly unknown: number;
  /** Pods without a node after the moment, those that waited before included. */
  readonly waiting: number;
  /** What the pods that are placed now request. */
  readonly requested: Room;
  /** What is left, after the moment, on the nodes that a pod without tolerations may go to: no cordon, no NoSchedule, no NoExecute. */
  readonly free: Room;
}

/** A workload that is left with pods for which there is no node. */
export interface RescheduledWorkload {
  readonly workload: Workload;
  readonly replaced: number;
  readonly landed: number;
  readonly unknown: number;
  readonly withoutNode: number;
  /** The first few of the pods that left, and whose replacements are without a node: indices. */
  readonly pods: readonly number[];
  /** Of the first that found none. */
  readonly refusal?: Refusal;
}

export interface ReschedulingTotals {
  readonly evicted: number;
  readonly gone: number;
  readonly replaced: number;
  /** Those of the replaced that are placed, and how many of them had to wait for it. */
  readonly landed: number;
  readonly landedLater: number;
  readonly withoutNode: number;
  readonly unknown: number;
  readonly never: Readonly<Partial<Record<NeverReplaced, number>>>;
  /** What the pods that are placed request. */
  readonly requested: Room;
}

/** Something that the plan takes for given. */
export interface ReschedulingAssumption {
  readonly code:
    | 'tiesByName'
    | 'uncertainScores'
    | 'otherSchedulers'
    | 'noPreemption'
    | 'pendingPodsNotPlaced'
    | 'unknownTakesNoRoom'
    | 'jobBackoffNotCounted'
    | 'readyWhenLanded'
    | 'controllersNotLoaded';
  /** A sentence. */
  readonly message: string;
}

/** Where the replacements of evicted pods go. Plain data, bounded by the options. */
export interface Rescheduling {
  /** In the order in which they leave. */
  readonly pods: Listed<RescheduledPod>;
  /** The moments at which something happens, in order. */
  readonly timeline: Listed<ReschedulingMoment>;
  /** Workloads with pods that find no node, most of them first. */
  readonly workloads: Listed<RescheduledWorkload>;
  readonly totals: ReschedulingTotals;
  /** Full evaluations that were made, for pods whose answer hangs on other pods. */
  readonly evaluations: number;
  readonly assumptions: readonly ReschedulingAssumption[];
}
