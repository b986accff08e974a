import type { Condition } from '../kubernetes/objects/pod.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { ZoneState } from './zone-state.js';

/** A node as the controller first finds it. Times are milliseconds since 1970. */
export interface LifecycleNode {
  readonly name: string;
  /** The result of `zoneKey`. */
  readonly zone: string;
  /** `metadata.creationTimestamp`; counts only for a node that never posts a status. */
  readonly createdAt?: number;
  readonly conditions: readonly Condition[];
  readonly taints: readonly Taint[];
  readonly unschedulable?: boolean;
  /**
   * False if neither status nor lease is updated any longer, or ever was: then `lastHeartbeatAt` counts, if there was
   * one.
   */
  readonly heartbeats: boolean;
  readonly lastHeartbeatAt?: number;
  /** Labelled `node.kubernetes.io/exclude-disruption`: not counted in its zone. */
  readonly excluded?: boolean;
}

/** An event that affects a node from outside the controller. Nodes are identified by name. */
export type LifecycleEvent =
  /** The kubelet posts its status with all conditions. Counts as a heartbeat. */
  | {
      readonly kind: 'conditions';
      readonly at: number;
      readonly node: string;
      readonly conditions: readonly Condition[];
    }
  /** One renewal of the lease. */
  | { readonly kind: 'heartbeat'; readonly at: number; readonly node: string }
  /** Neither status nor lease is updated from now on. The last heartbeat was just now, unless another time is given. */
  | { readonly kind: 'silent'; readonly at: number; readonly node: string; readonly lastHeartbeatAt?: number }
  /** The lease is renewed regularly again; the status follows with a `conditions` event. */
  | { readonly kind: 'resumed'; readonly at: number; readonly node: string }
  /** A client writes the node's complete list of taints. */
  | { readonly kind: 'taints'; readonly at: number; readonly node: string; readonly taints: readonly Taint[] }
  | { readonly kind: 'unschedulable'; readonly at: number; readonly node: string; readonly unschedulable: boolean }
  | { readonly kind: 'added'; readonly at: number; readonly node: LifecycleNode }
  | { readonly kind: 'deleted'; readonly at: number; readonly node: string };

/**
 * Why a node's taints change. `conditions`: NoSchedule follows a condition or the cordon. `turn`: the zone's queue sets
 * NoExecute. `swap`: NoExecute changes with Ready, without queueing. `ready`: NoExecute is removed, because Ready is
 * True. `allZonesDown`: NoExecute is removed, because no node of the cluster is ready. `registered`: NoExecute is
 * removed from a node that the controller observes for the first time. `written`: another client wrote the list.
 */
export type TaintCause = 'conditions' | 'turn' | 'swap' | 'ready' | 'allZonesDown' | 'registered' | 'written';

export interface TaintChange {
  readonly at: number;
  readonly node: string;
  readonly cause: TaintCause;
  /** The complete list after the change. */
  readonly taints: readonly Taint[];
  readonly added: readonly Taint[];
  readonly removed: readonly Taint[];
}

export interface ConditionChange {
  readonly at: number;
  readonly node: string;
  readonly by: 'controller' | 'kubelet';
  readonly conditions: readonly Condition[];
}

/** The state of a zone, or the rate of its queue, from a time on. */
export interface ZoneChange {
  readonly at: number;
  readonly zone: string;
  readonly state: ZoneState;
  /** The controller's counts: nodes without a Ready condition are not ready. */
  readonly readyNodes: number;
  readonly notReadyNodes: number;
  /** Nodes per second that get their NoExecute taint; zero if the queue is stopped. */
  readonly ratePerSecond: number;
}

/** The controller's actions, each list in chronological order. */
export interface LifecycleTimeline {
  readonly changes: readonly TaintChange[];
  readonly conditionChanges: readonly ConditionChange[];
  readonly zoneChanges: readonly ZoneChange[];
  /** The nodes that still wait for their NoExecute taint at the end. */
  readonly queued: readonly { readonly node: string; readonly zone: string; readonly since: number }[];
}
