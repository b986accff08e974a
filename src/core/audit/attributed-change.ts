import type { Taint } from '../kubernetes/objects/taints.js';
import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { Actor } from './actor.js';
import type { AuditEvent } from './audit-event.js';
import type { FieldOwner } from './field-ownership.js';
import type { NodeTaintState, TaintDifference } from './taint-difference.js';

/** When something happened: at a point, or between two, `from` excluded where it is known at all. */
export type When =
  | { readonly kind: 'point'; readonly at: Timestamp }
  | { readonly kind: 'interval'; readonly from?: Timestamp; readonly to: Timestamp };

/** What a change was learnt from: made through this service, two snapshots that differ, or a Kubernetes audit event. */
export type ChangeChannel = 'api' | 'snapshot' | 'auditEvent';

/** What an attribution rests on, the strongest first. `explainAttribution` says what each proves, and what it does not. */
export type AttributionBasis =
  /** The write was conditional on the very state before it, and the response shows the state after it. */
  | 'unbrokenWrite'
  /** The event created the node. */
  | 'creation'
  /** The event deleted the node. */
  | 'deletion'
  /** The response shows the state after the write; before it is the last state known. */
  | 'response'
  /** The request was accepted and says what it set; the response was not written down. */
  | 'request'
  /** A write whose content was not written down, and an owner of the field by the same manager in the same second. */
  | 'ownedWrite'
  /** Writes whose content was not written down, and nothing that tells which of them it was, if any. */
  | 'possibleWrite'
  /** A change that was made through this service as an intent, seen in the cluster later. */
  | 'intent'
  /** managedFields alone: who wrote the field last. */
  | 'fieldOwner'
  | 'none';

/** How far a change's `by` may be relied upon; `unknown` has no `by`. */
export type AttributionCertainty = 'certain' | 'likely' | 'possible' | 'unknown';

/** Who made a request. */
export interface Author {
  /** Whose rights were used: the impersonated user, else the authenticated one. */
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  /** Who was authenticated, where that is another one than whose rights were used. */
  readonly impersonatedBy?: string;
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
}

/** Where an observation is to be found. */
export interface ObservationReference {
  readonly at: Timestamp;
  readonly revision?: number;
}

/** One attributed change of a node's taints or cordon. */
export interface AttributedChange {
  readonly node: string;
  readonly uid?: string;
  /** The node itself came or went: its taints and its cordon with it. */
  readonly life?: 'created' | 'deleted';
  /** What changed; null where nothing is known of the state before, and `set` is all there is to say. */
  readonly difference: TaintDifference | null;
  /** The fields that were written and what they were set to, where `difference` is null. */
  readonly set?: { readonly taints?: readonly Taint[]; readonly unschedulable?: boolean };
  readonly when: When;
  readonly channel: ChangeChannel;
  /** Absent where nobody is proven to have made the change: see `candidates` and `lastWriters`. */
  readonly by?: Author;
  readonly actor: Actor;
  readonly basis: AttributionBasis;
  readonly certainty: AttributionCertainty;
  /** Other writes whose content is not known and which may have a part in the change. */
  readonly candidates?: readonly { readonly auditID: string; readonly by?: Author; readonly at: Timestamp }[];
  /** Who owned the changed field afterwards by managedFields; absent where there were none, empty where nobody did. */
  readonly lastWriters?: readonly FieldOwner[];
  /** Added taints that the request did not ask for: admission put them there. */
  readonly notRequested?: readonly Taint[];
  readonly auditIDs: readonly string[];
  /** The last snapshot before the change, and the first one after it. */
  readonly observedBefore?: ObservationReference;
  readonly observedAfter?: ObservationReference;
  /** The intents of this service that the change carried out. */
  readonly intents: readonly string[];
}

/** A request about a node, as an audit event tells of it. */
export interface NodeRequest {
  readonly node: string;
  readonly auditID: string;
  readonly at: Timestamp;
  readonly verb: string;
  readonly by?: Author;
  readonly actor: Actor;
}

/** A request that changed nothing, or of which it is not known whether it did. */
export interface TaintAttempt extends NodeRequest {
  /** `refused`: the API server said no (4xx); `failed`: it broke (5xx); `unknown`: no event tells the end of it. */
  readonly outcome: 'refused' | 'failed' | 'dryRun' | 'unknown';
  readonly code?: number;
  readonly reason?: string;
  /** What it asked for, where its body was written down. */
  readonly requested: AuditEvent['requested'];
}

/** A write that took place, and of which it is not known what it wrote (an event of level Metadata, or a truncated one). */
export interface UnprovenWrite extends NodeRequest {
  /** `attributed`, `candidate`: see the change that names it; `noChangeSeen`: what was seen next is as before. */
  readonly seen: 'attributed' | 'candidate' | 'noChangeSeen' | 'notSeenSince';
}

/**
 * Taints or a cordon that stood on a node when it was first seen: nothing is known of who put them there, or when, but what
 * managedFields say.
 */
export interface FoundState {
  readonly node: string;
  readonly uid?: string;
  readonly state: NodeTaintState;
  /** Before the first snapshot that shows it. */
  readonly when: When;
  readonly channel: ChangeChannel;
  /** Who wrote the list of taints last, and the cordon; absent without managedFields, empty where nobody owns the field. */
  readonly lastWriters?: { readonly taints: readonly FieldOwner[]; readonly unschedulable: readonly FieldOwner[] };
  readonly observedAfter: ObservationReference;
}

/** What became of an intent, and what said so. */
export interface IntentOutcome {
  readonly id: string;
  readonly node: string;
  readonly status: 'recorded' | 'confirmed' | 'notApplied' | 'overwritten';
  readonly saidBy?: { readonly auditID: string } | { readonly observation: ObservationReference };
}

/** The trail of one node, or of the nodes of a cluster, node by node in the order of names; each in the order of time. */
export interface TaintTrail {
  readonly found: readonly FoundState[];
  readonly changes: readonly AttributedChange[];
  readonly attempts: readonly TaintAttempt[];
  readonly writes: readonly UnprovenWrite[];
  readonly intents: readonly IntentOutcome[];
}
