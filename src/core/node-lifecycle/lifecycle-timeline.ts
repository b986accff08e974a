import type { Condition } from '../kubernetes/objects/pod.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { ZoneState } from './zone-state.js';

/** A node as the controller finds it. Moments are milliseconds since 1970. */
export interface LifecycleNode {
  readonly name: string;
  /** As `zoneKey` gives it. */
  readonly zone: string;
  /** `metadata.creationTimestamp`; counts only for a node that never posts a status. */
  readonly createdAt?: number;
  readonly conditions: readonly Condition[];
  readonly taints: readonly Taint[];
  readonly unschedulable?: boolean;
  /** False where neither status nor lease comes any more, or never came: then `lastHeartbeatAt` counts, where there was one. */
  readonly heartbeats: boolean;
  readonly lastHeartbeatAt?: number;
  /** Labelled `node.kubernetes.io/exclude-disruption`: not counted in its zone. */
  readonly excluded?: boolean;
}

/** Something that happens to a node from outside the controller. Nodes are named. */
export type LifecycleEvent =
  /** The kubelet posts its status: the whole list of conditions after it. Counts as a heartbeat. */
  | {
      readonly kind: 'conditions';
      readonly at: number;
      readonly node: string;
      readonly conditions: readonly Condition[];
    }
  /** One renewal of the lease. */
  | { readonly kind: 'heartbeat'; readonly at: number; readonly node: string }
  /** Neither status nor lease from here on. The last heartbeat was just now, unless another moment is given. */
  | { readonly kind: 'silent'; readonly at: number; readonly node: string; readonly lastHeartbeatAt?: number }
  /** The lease is renewed regularly again; what the status says comes with a `conditions` event. */
  | { readonly kind: 'resumed'; readonly at: number; readonly node: string }
  /** Somebody writes the node's whole list of taints. */
  | { readonly kind: 'taints'; readonly at: number; readonly node: string; readonly taints: readonly Taint[] }
  | { readonly kind: 'unschedulable'; readonly at: number; readonly node: string; readonly unschedulable: boolean }
  | { readonly kind: 'added'; readonly at: number; readonly node: LifecycleNode }
  | { readonly kind: 'deleted'; readonly at: number; readonly node: string };

/**
 * Why a node's taints change. `conditions`: NoSchedule follows a condition or the cordon. `turn`: NoExecute, by the queue of the
 * zone. `swap`: NoExecute changes with Ready, without waiting. `ready`: NoExecute goes, since Ready is True. `allZonesDown`: NoExecute
 * goes, since no node of the cluster is ready. `registered`: NoExecute goes from a node that the controller sees for the first time.
 * `written`: somebody else wrote the list.
 */
export type TaintCause = 'conditions' | 'turn' | 'swap' | 'ready' | 'allZonesDown' | 'registered' | 'written';

export interface TaintChange {
  readonly at: number;
  readonly node: string;
  readonly cause: TaintCause;
  /** The whole list after the change. */
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

/** A zone's state, or the rate of its queue, from a moment on. */
export interface ZoneChange {
  readonly at: number;
  readonly zone: string;
  readonly state: ZoneState;
  /** As the controller counts them: nodes without a Ready condition are not ready. */
  readonly readyNodes: number;
  readonly notReadyNodes: number;
  /** Nodes a second that get their NoExecute taint; zero where the queue is stopped. */
  readonly ratePerSecond: number;
}

/** What the controller does, each list in the order of time. */
export interface LifecycleTimeline {
  readonly changes: readonly TaintChange[];
  readonly conditionChanges: readonly ConditionChange[];
  readonly zoneChanges: readonly ZoneChange[];
  /** The nodes that still wait for their NoExecute taint at the end. */
  readonly queued: readonly { readonly node: string; readonly zone: string; readonly since: number }[];
}
