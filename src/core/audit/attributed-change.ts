import type { Taint } from '../kubernetes/objects/taints.js';
import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { Actor } from './actor.js';
import type { AuditEvent } from './audit-event.js';
import type { FieldOwner } from './field-ownership.js';
import type { NodeTaintState, TaintDifference } from './taint-difference.js';

/** When something happened: at a time, or in an interval; `from` is exclusive, and absent if it is not known. */
export type When =
  | { readonly kind: 'point'; readonly at: Timestamp }
  | { readonly kind: 'interval'; readonly from?: Timestamp; readonly to: Timestamp };

/** The source of a change: this service, the difference of two snapshots, or a Kubernetes audit event. */
export type ChangeChannel = 'api' | 'snapshot' | 'auditEvent';

/**
 * The evidence for an attribution, strongest first. `explainAttribution` explains what each proves, and what it does
 * not.
 */
export type AttributionBasis =
  /** The write was conditional on the previous state, and the response shows the state after it. */
  | 'unbrokenWrite'
  /** The event created the node. */
  | 'creation'
  /** The event deleted the node. */
  | 'deletion'
  /** The response shows the state after the write; the state before is the last known one. */
  | 'response'
  /** The request was accepted and shows what it set; the response was not logged. */
  | 'request'
  /** A write whose content was not logged; the same manager owns the field since the same second. */
  | 'ownedWrite'
  /** Writes whose content was not logged, any of which, or none, may have made the change. */
  | 'possibleWrite'
  /** A change that was made through this service as an intent, and later observed in the cluster. */
  | 'intent'
  /** Only managedFields: the last writer of the field. */
  | 'fieldOwner'
  | 'none';

/** How reliable a change's `by` is; `unknown` has no `by`. */
export type AttributionCertainty = 'certain' | 'likely' | 'possible' | 'unknown';

/** The client that made a request. */
export interface Author {
  /** The user whose permissions were used: the impersonated user, else the authenticated one. */
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  /** The authenticated user, if it is not the one whose permissions were used. */
  readonly impersonatedBy?: string;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
}

/** Where an observation is stored. */
export interface ObservationReference {
  readonly at: Timestamp;
  readonly revision?: number;
}

/** One attributed change of a node's taints or cordon. */
export interface AttributedChange {
  readonly node: string;
  readonly uid?: string;
  /** The node itself was created or deleted, together with its taints and its cordon. */
  readonly life?: 'created' | 'deleted';
  /** The difference; null if the previous state is not known, in which case `set` has what was written. */
  readonly difference: TaintDifference | null;
  /** The fields that were written and their values, if `difference` is null. */
  readonly set?: { readonly taints?: readonly Taint[]; readonly unschedulable?: boolean };
  readonly when: When;
  readonly channel: ChangeChannel;
  /** Absent if the author is not proven: see `candidates` and `lastWriters`. */
  readonly by?: Author;
  readonly actor: Actor;
  readonly basis: AttributionBasis;
  readonly certainty: AttributionCertainty;
  /** Other writes with unknown content that may have made a part of the change. */
  readonly candidates?: readonly { readonly auditID: string; readonly by?: Author; readonly at: Timestamp }[];
  /**
   * The owners of the changed field afterwards according to managedFields; absent without managedFields, empty without
   * an owner.
   */
  readonly lastWriters?: readonly FieldOwner[];
  /** Added taints that were not in the request: admission added them. */
  readonly notRequested?: readonly Taint[];
  readonly auditIDs: readonly string[];
  /** The last snapshot before the change, and the first one after it. */
  readonly observedBefore?: ObservationReference;
  readonly observedAfter?: ObservationReference;
  /** The intents of this service that the change fulfilled. */
  readonly intents: readonly string[];
}

/** A request about a node, as shown by an audit event. */
export interface NodeRequest {
  readonly node: string;
  readonly auditID: string;
  readonly at: Timestamp;
  readonly verb: string;
  readonly by?: Author;
  readonly actor: Actor;
}

/** A request that changed nothing, or that may have changed nothing. */
export interface TaintAttempt extends NodeRequest {
  /**
   * `refused`: the API server refused it (4xx); `failed`: an error of the API server (5xx); `unknown`: there is no
   * event for its completion.
   */
  readonly outcome: 'refused' | 'failed' | 'dryRun' | 'unknown';
  readonly code?: number;
  readonly reason?: string;
  /** What it requested, if its body was logged. */
  readonly requested: AuditEvent['requested'];
}

/** A write with unknown content (an event of level Metadata, or a truncated one). */
export interface UnprovenWrite extends NodeRequest {
  /** `attributed`, `candidate`: see the change that names it; `noChangeSeen`: the next observation shows no change. */
  readonly seen: 'attributed' | 'candidate' | 'noChangeSeen' | 'notSeenSince';
}

/**
 * Taints or a cordon that a node had when it was first observed: only managedFields can show who added them, and when.
 */
export interface FoundState {
  readonly node: string;
  readonly uid?: string;
  readonly state: NodeTaintState;
  /** Before the first snapshot that shows it. */
  readonly when: When;
  readonly channel: ChangeChannel;
  /**
   * The last writers of the list of taints, and of the cordon; absent without managedFields, empty without an owner.
   */
  readonly lastWriters?: { readonly taints: readonly FieldOwner[]; readonly unschedulable: readonly FieldOwner[] };
  readonly observedAfter: ObservationReference;
}

/** The outcome of an intent, and the evidence for it. */
export interface IntentOutcome {
  readonly id: string;
  readonly node: string;
  readonly status: 'recorded' | 'confirmed' | 'notApplied' | 'overwritten';
  readonly saidBy?: { readonly auditID: string } | { readonly observation: ObservationReference };
}

/** The trail of one node, or of the nodes of a cluster, sorted by node name and then by time. */
export interface TaintTrail {
  readonly found: readonly FoundState[];
  readonly changes: readonly AttributedChange[];
  readonly attempts: readonly TaintAttempt[];
  readonly writes: readonly UnprovenWrite[];
  readonly intents: readonly IntentOutcome[];
}
