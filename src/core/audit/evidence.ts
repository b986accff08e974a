import type { TaintOwnership, Timestamp } from '../kubernetes/objects/meta.js';
import type { AuditEvent } from './audit-event.js';
import type { NodeTaintState, TaintDifference } from './taint-difference.js';

/** A node as one snapshot of the cluster shows it. */
export interface NodeObservation {
  readonly node: string;
  /** When the snapshot was captured. */
  readonly at: Timestamp;
  /** The revision that the snapshot made. */
  readonly revision?: number;
  /** null where the snapshot holds the cluster's nodes, and not this one. */
  readonly state: NodeTaintState | null;
  readonly uid?: string;
  readonly resourceVersion?: string;
  /** Absent where the snapshot came without managedFields. */
  readonly ownership?: readonly TaintOwnership[];
}

/** A change of one node that was made through this service: what somebody meant to do to the cluster. */
export interface TaintIntent {
  readonly id: string;
  readonly node: string;
  readonly at: Timestamp;
  readonly author: string;
  readonly difference: TaintDifference;
  /** The revision that it made: of what was seen at the same moment, lower ones came before. */
  readonly revision?: number;
}

/** All that is known about the nodes of one cluster. In any order; what is given twice counts once. */
export interface TaintEvidence {
  readonly observations: readonly NodeObservation[];
  readonly events: readonly AuditEvent[];
  readonly intents: readonly TaintIntent[];
}
