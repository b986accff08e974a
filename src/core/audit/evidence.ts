import type { TaintOwnership, Timestamp } from '../kubernetes/objects/meta.js';
import type { AuditEvent } from './audit-event.js';
import type { NodeTaintState, TaintDifference } from './taint-difference.js';

/** A node in a snapshot of the cluster. */
export interface NodeObservation {
  readonly node: string;
  /** The capture time of the snapshot. */
  readonly at: Timestamp;
  /** The revision that the snapshot created. */
  readonly revision?: number;
  /** null if the snapshot contains the cluster's nodes, but not this one. */
  readonly state: NodeTaintState | null;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Absent if the snapshot has no managedFields. */
  readonly ownership?: readonly TaintOwnership[];
}

/** A change of one node that was made through this service: the intended change of the cluster. */
export interface TaintIntent {
  readonly id: string;
  readonly node: string;
  readonly at: Timestamp;
  readonly author: string;
  readonly difference: TaintDifference;
  /** The revision that it created: among observations at the same time, lower ones came first. */
  readonly revision?: number;
}

/** All evidence about the nodes of one cluster, in any order; duplicates count once. */
export interface TaintEvidence {
  readonly observations: readonly NodeObservation[];
  readonly events: readonly AuditEvent[];
  readonly intents: readonly TaintIntent[];
}
