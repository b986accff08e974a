import type { Workload } from '../cluster/pod-table.js';
import type { Listed } from '../collections/first-few.js';
import type { ClaimAllocation } from '../devices/device-allocator.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { AggregateMessage } from '../placement/aggregate-message.js';
import type { ReasonCount } from '../placement/roll-up.js';

/**
 * An event that affects nodes and pods of a state. Times are milliseconds since the epoch; indexes are those of the
 * state.
 */
export type ReschedulingEvent =
  /**
   * The node's complete list of taints from now on; `unschedulable` is unchanged by default; `gone`: the node is
   * deleted.
   */
  | {
      readonly at: number;
      readonly kind: 'taints';
      readonly node: number;
      readonly taints: readonly Taint[];
      readonly unschedulable?: boolean;
      readonly gone?: boolean;
    }
  /** The pod is being deleted (`deletionTimestamp` is set) and still holds its resources. */
  | { readonly at: number; readonly kind: 'marked'; readonly pod: number }
  /** The pod is gone, and its resources are free. Never happens for a pod that remains Terminating. */
  | { readonly at: number; readonly kind: 'gone'; readonly pod: number }
  /** The pod's replacement is ready; only if the plan takes readiness from events. */
  | { readonly at: number; readonly kind: 'ready'; readonly pod: number };

/** Why a pod that leaves is not replaced. */
export type NeverReplaced =
  /** The pod has no controller. */
  | 'barePod'
  /** A static pod's mirror: its kubelet runs the pod regardless of the API server. */
  | 'mirrorPod'
  /** It had Succeeded or Failed, so it no longer counted. */
  | 'ended'
  | 'jobComplete'
  | 'jobSuspended'
  /** Its controller already has as many pods as it wants: it was scaled down, perhaps to 0. */
  | 'notWanted'
  /** The controller that the pod names does not exist. */
  | 'controllerGone'
  | 'controllerDeleting'
  /** It was already being deleted, and its controller has created a replacement. */
  | 'alreadyReplaced'
  /** Its controller creates a replacement only when the pod is gone, and the pod remains. */
  | 'stillTerminating'
  /** A StatefulSet creates its pods in order, and one with a lower ordinal is missing. */
  | 'waitsForLowerOrdinal'
  /** A DaemonSet's pod whose node does not admit it because of its taints or labels. */
  | 'nodeDoesNotAdmit'
  /** A DaemonSet's pod whose node is deleted. */
  | 'nodeGone';

/** Whether the replacement pod gets a node: feasible if it does, immediately or later. */
export type ReschedulingVerdict = 'feasible' | 'none' | 'unknown';

export interface ReschedulingUnknown {
  readonly code: 'filterNotImplemented' | 'scoreFailed' | 'budget' | 'customController' | 'unreadableRequest';
  readonly message: string;
  /** The filter that is not evaluated. */
  readonly plugin?: string;
}

/** The nodes that a pod can be placed on. */
export interface NodesFound {
  readonly feasible: number;
  /** Nodes that a filter with an unknown result may refuse. */
  readonly unknown: number;
  /** The first feasible nodes, highest totals first. */
  readonly best: readonly number[];
  /** What the pod's claims for devices get on the first of them. */
  readonly devices?: readonly ClaimAllocation[];
}

/** Why there was no node when the pod was created. */
export interface Refusal {
  /** kube-scheduler's message. */
  readonly message: AggregateMessage;
  /** Every reason, counted over the nodes; untolerated taints individually. */
  readonly reasons: readonly ReasonCount[];
}

/** A pod that leaves, and its replacement. */
export interface RescheduledPod {
  /** Index into `state.pods`. */
  readonly pod: number;
  readonly workload: Workload;
  /** The node that it leaves; absent if that node is not stored. */
  readonly from?: string;
  readonly markedAt?: number;
  readonly goneAt?: number;
  /** When the controller creates the replacement. Absent if it never does, or if this is not known. */
  readonly replacementAt?: number;
  readonly never?: NeverReplaced;
  /** Absent exactly if there is no replacement. */
  readonly verdict?: ReschedulingVerdict;
  /**
   * The number of nodes that could take the pod when it is placed, and of those that possibly could; both 0 if there
   * was no node when it was created.
   */
  readonly feasibleNodes: number;
  readonly unknownNodes: number;
  /** The first feasible nodes, highest totals first, then by name. */
  readonly nodes: readonly string[];
  /** The node that the plan chooses, and when: later than `replacementAt` if the pod had to wait. */
  readonly chosen?: string;
  readonly landedAt?: number;
  readonly devices?: readonly ClaimAllocation[];
  /** Position in the order in which the plan places pods, from 1. */
  readonly order?: number;
  /**
   * Present if there was no node when the pod was created, even if it is placed later. Absent beyond the number of pods
   * that are explained.
   */
  readonly refusal?: Refusal;
  readonly unknownBecause?: readonly ReschedulingUnknown[];
}

/** Amounts that pods request, or that are free on nodes: millicores, and bytes. */
export interface Room {
  readonly milliCPU: Int64;
  readonly memory: Int64;
}

/** The events of one moment. */
export interface ReschedulingMoment {
  readonly at: number;
  /** Number of pods marked for deletion. */
  readonly evicted: number;
  /** Number of pods whose resources are released. */
  readonly gone: number;
  /** Number of replacement pods created. */
  readonly replaced: number;
  /** Number of pods placed now, including those that waited. */
  readonly landed: number;
  /** Number of the pods created now that fit no node. */
  readonly withoutNode: number;
  /** Number of pods for which it is now certain that their new node, or whether they are replaced, is not known. */
  readonly unknown: number;
  /** Number of pods without a node after this moment, including those that waited before. */
  readonly waiting: number;
  /** The requests of the pods placed now. */
  readonly requested: Room;
  /**
   * Free resources, after this moment, on the nodes open to a pod without tolerations: no cordon, no NoSchedule, no
   * NoExecute.
   */
  readonly free: Room;
}

/** A workload with pods that fit no node at the end. */
export interface RescheduledWorkload {
  readonly workload: Workload;
  readonly replaced: number;
  readonly landed: number;
  readonly unknown: number;
  readonly withoutNode: number;
  /** Indexes of the first pods that left and whose replacements have no node. */
  readonly pods: readonly number[];
  /** The explanation of the first pod without a node. */
  readonly refusal?: Refusal;
}

export interface ReschedulingTotals {
  readonly evicted: number;
  readonly gone: number;
  readonly replaced: number;
  /** The number of replacements that are placed, and of those that had to wait. */
  readonly landed: number;
  readonly landedLater: number;
  readonly withoutNode: number;
  readonly unknown: number;
  readonly never: Readonly<Partial<Record<NeverReplaced, number>>>;
  /** The requests of the placed pods. */
  readonly requested: Room;
}

/** An assumption of the plan. */
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
  readonly message: string;
}

/** Where the replacements of evicted pods go. Plain data, limited by the options. */
export interface Rescheduling {
  /** In the order in which the pods leave. */
  readonly pods: Listed<RescheduledPod>;
  /** The moments with events, in chronological order. */
  readonly timeline: Listed<ReschedulingMoment>;
  /** Workloads with pods that fit no node, most such pods first. */
  readonly workloads: Listed<RescheduledWorkload>;
  readonly totals: ReschedulingTotals;
  /** Number of full evaluations, for pods whose result depends on other pods. */
  readonly evaluations: number;
  readonly assumptions: readonly ReschedulingAssumption[];
}
