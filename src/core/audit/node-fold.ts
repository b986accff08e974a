import type { TaintOwnership, Timestamp } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type {
  AttributedChange,
  FoundState,
  IntentOutcome,
  NodeRequest,
  ObservationReference,
  TaintAttempt,
  TaintTrail,
  UnprovenWrite,
} from './attributed-change.js';
import { actorOf } from './actor.js';
import {
  authorOf,
  type Before,
  type Claim,
  claimed,
  claimOfEvent,
  claimOfGap,
  isAppliedBy,
  unclaimed,
} from './attribution-claim.js';
import type { AuditEvent } from './audit-event.js';
import type { NodeObservation, TaintIntent } from './evidence.js';
import { type FieldOwner, ownersOf, type WatchedField } from './field-ownership.js';
import { IntentTracker, partOf, touchedBy } from './intent-tracker.js';
import { isNoDifference, type NodeTaintState, taintDifference, type TaintDifference } from './taint-difference.js';
import { isWritten, type TimelineEntry } from './timeline.js';

const FIELDS = ['taints', 'unschedulable'] as const;
const NOTHING: NodeTaintState = { taints: [], unschedulable: false };

/** A claim on the difference of one field, or of both. */
interface FieldClaim {
  readonly claim: Claim;
  readonly difference: TaintDifference | null;
  /** What was written, if the difference is not known. */
  readonly set: Partial<NodeTaintState>;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** An observed state of the node, or of some of its fields, from one entry of the timeline. */
interface Sight {
  readonly at: Timestamp;
  readonly state: Partial<NodeTaintState>;
  readonly channel: 'snapshot' | 'auditEvent';
  readonly event?: AuditEvent;
  readonly uid?: string;
  readonly version?: string;
  readonly ownership?: readonly TaintOwnership[];
  readonly saidBy: NonNullable<IntentOutcome['saidBy']>;
}

/** A write with unknown content, until the fields that it may have changed are observed again. */
interface Pending {
  readonly event: AuditEvent;
  seen: UnprovenWrite['seen'];
}

/**
 * Processes the timeline of a node once, in short steps. The cost of each entry depends only on its own state, not on
 * the length of the timeline.
 */
export function* stepFoldNode(node: string, entries: readonly TimelineEntry[]): Generator<undefined, TaintTrail> {
  const fold = new NodeFold(node);
  for (const entry of entries) {
    fold.take(entry);
    yield;
  }
  return fold.finish();
}

class NodeFold {
  private readonly found: FoundState[] = [];
  private readonly changes: Mutable<AttributedChange>[] = [];
  private readonly attempts: TaintAttempt[] = [];
  private readonly intents = new IntentTracker();
  private readonly writes: Pending[] = [];
  /** Writes that may have changed a field since it was last observed. */
  private readonly pending: Record<WatchedField, Pending[]> = { taints: [], unschedulable: [] };
  /** The last observed fields; absent while a field is not known. */
  private known: Partial<NodeTaintState> = {};
  private readonly owners = new Map<WatchedField, readonly FieldOwner[] | undefined>();
  private readonly seenAt = new Map<WatchedField, Timestamp>();
  private lastSeen: Timestamp | undefined;
  private version: string | undefined;
  private uid: string | undefined;
  private exists: boolean | undefined;
  private observed: ObservationReference | undefined;
  /** The first change that no snapshot has followed yet. */
  private unobserved = 0;

  constructor(private readonly node: string) {}

  take(entry: TimelineEntry): void {
    switch (entry.kind) {
      case 'intent':
        this.intents.add(entry.intent);
        break;
      case 'event':
        this.takeEvent(entry.event);
        break;
      case 'observation':
        this.takeObservation(entry.observation);
    }
  }

  finish(): TaintTrail {
    const writes = this.writes.map(({ event, seen }) => ({ ...this.requestOf(event), seen }));
    return {
      found: this.found,
      changes: this.changes,
      attempts: this.attempts,
      writes,
      intents: this.intents.finish(),
    };
  }

  private takeEvent(event: AuditEvent): void {
    if (!isWritten(event)) {
      const outcome = this.attempt(event);
      if (outcome === 'unknown') this.wait(event);
      return;
    }
    const { verb, requested, responded, stageTimestamp: at, auditID } = event;
    if (verb.startsWith('delete') && responded?.deletionTimestamp === undefined) {
      if (this.exists !== false) this.vanish(claimed(event, 'deletion'), at);
      return;
    }
    const base = { at, channel: 'auditEvent', event, saidBy: { auditID } } as const;
    if (responded !== undefined) {
      const { taints, unschedulable, uid, resourceVersion: version, ownership } = responded;
      this.see({
        ...base,
        state: { taints, unschedulable },
        ...(uid !== undefined && { uid }),
        ...(version !== undefined && { version }),
        ...(ownership !== undefined && { ownership }),
      });
      return;
    }
    const { taints, unschedulable } = requested;
    const state = {
      ...(typeof taints === 'object' && { taints: taints.value }),
      ...(typeof unschedulable === 'object' && { unschedulable: unschedulable.value }),
    };
    if (state.taints !== undefined || state.unschedulable !== undefined) this.see({ ...base, state });
    this.wait(event);
  }

  private takeObservation({ at, revision, state, uid, resourceVersion, ownership }: NodeObservation): void {
    const observation: ObservationReference = { at, ...(revision !== undefined && { revision }) };
    const saidBy = { observation };
    if (state === null) {
      // A node that was never observed has nothing to lose.
      if (this.exists === true) this.vanish(unclaimed(this.lastSeen, at, 'snapshot'), at);
      this.isGone(at);
    } else {
      this.noteFound(state, observation, uid, ownership);
      this.see({
        at,
        state,
        channel: 'snapshot',
        saidBy,
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { version: resourceVersion }),
        ...(ownership !== undefined && { ownership }),
      });
    }
    this.intents.judge(state ?? NOTHING, saidBy);
    this.observed = observation;
    for (; this.unobserved < this.changes.length; this.unobserved += 1) {
      this.changes[this.unobserved]!.observedAfter = observation;
    }
  }

  /** Records what is observed where nothing was known before: not a change, although somebody added it. */
  private noteFound(
    state: NodeTaintState,
    observation: ObservationReference,
    uid: string | undefined,
    ownership: readonly TaintOwnership[] | undefined,
  ): void {
    const taints = this.known.taints === undefined ? state.taints : [];
    const unschedulable = this.known.unschedulable === undefined && state.unschedulable;
    if (taints.length === 0 && !unschedulable) return;
    this.found.push({
      node: this.node,
      ...(uid !== undefined && { uid }),
      state: { taints, unschedulable },
      when: {
        kind: 'interval',
        ...(this.lastSeen !== undefined && { from: this.lastSeen }),
        to: observation.at,
      },
      channel: 'snapshot',
      ...(ownership !== undefined && {
        lastWriters: {
          taints: ownersOf(ownership, 'taints') ?? [],
          unschedulable: ownersOf(ownership, 'unschedulable') ?? [],
        },
      }),
      observedAfter: observation,
    });
  }

  /** Compares an observed state field by field with the known one, and claims each difference. */
  private see(sight: Sight): void {
    const { event, uid, state, at } = sight;
    const created = event?.verb === 'create';
    const other = uid !== undefined && this.uid !== undefined && uid !== this.uid;
    // A node with another UID, or one that is created although it existed: the former one was deleted unobserved.
    if ((other || created) && this.exists === true) this.vanish(unclaimed(this.lastSeen, at, sight.channel), at);
    const appeared = this.exists === false;
    if (created) this.known = NOTHING;
    // The node exists again, but its content at creation is not known if the first observation is a later write.
    else if (appeared && event !== undefined) this.known = {};
    const life = created || (appeared && event === undefined) ? 'created' : undefined;
    this.uid = uid ?? this.uid;

    const claims: FieldClaim[] = [];
    for (const field of FIELDS) {
      if (state[field] === undefined) continue;
      const difference = this.differenceOf(field, state);
      const before = this.before(field);
      const own = event === undefined ? undefined : claimOfEvent(event, field, before);
      if (difference === null) {
        // Without a previous state only the written fields are known: nobody claims the rest.
        if (own !== undefined && event!.requested[field] !== 'untouched') {
          claims.push({ claim: own, difference, set: { [field]: state[field] } });
        }
        this.resolve(field);
      } else if (isNoDifference(difference)) {
        this.resolve(field);
      } else {
        const claim = own ?? this.gap(field, before, sight);
        claims.push({ claim, difference, set: {} });
        this.resolve(field, claim);
      }
      this.remember(field, sight);
    }
    this.exists = true;
    this.lastSeen = at;
    this.version = sight.version;
    this.record(together(claims), sight, life);
  }

  private gap(field: WatchedField, before: Before, { at, ownership, channel, event }: Sight): Claim {
    // If its body was not logged, the event itself is one of the possible writes.
    const unsure = event?.requested[field] === 'unknown' ? [event] : [];
    const seen = { at, channel, ...(ownership !== undefined && { ownership }) };
    return claimOfGap(field, { ...before, pending: [...before.pending, ...unsure] }, seen);
  }

  /** Null if nothing is known about the field before. */
  private differenceOf(field: WatchedField, state: Partial<NodeTaintState>): TaintDifference | null {
    if (this.known[field] === undefined) return null;
    return field === 'taints'
      ? taintDifference({ ...NOTHING, taints: this.known.taints! }, { ...NOTHING, taints: state.taints! })
      : taintDifference(
          { ...NOTHING, unschedulable: this.known.unschedulable! },
          { ...NOTHING, unschedulable: state.unschedulable! },
        );
  }

  private before(field: WatchedField): Before {
    const owners = this.owners.get(field);
    const at = this.seenAt.get(field);
    return {
      pending: this.pending[field].map(({ event }) => event),
      ...(this.version !== undefined && { version: this.version }),
      ...(owners !== undefined && { owners }),
      ...(at !== undefined && { at }),
    };
  }

  private remember(field: WatchedField, { state, ownership, at }: Sight): void {
    this.known = { ...this.known, [field]: state[field] };
    this.owners.set(field, ownersOf(ownership, field));
    this.seenAt.set(field, at);
  }

  private record(claims: readonly FieldClaim[], sight: Sight, life?: AttributedChange['life']): void {
    const after = { ...NOTHING, ...this.known };
    const confirmed = new Set<TaintIntent>();
    for (const { difference } of claims) {
      if (difference === null) continue;
      for (const intent of this.intents.confirm(difference, after, sight.saidBy)) confirmed.add(intent);
    }
    for (const { claim, difference, set } of claims) {
      if (difference === null) this.push({ ...claim, difference, set }, life);
      else this.recordDifference(claim, difference, [...confirmed], sight.event, life);
    }
  }

  private recordDifference(
    claim: Claim,
    difference: TaintDifference,
    confirmed: readonly TaintIntent[],
    event: AuditEvent | undefined,
    life: AttributedChange['life'],
  ): void {
    const notRequested = notRequestedIn(event, difference.added);
    const noted = { ...claim, ...(notRequested.length > 0 && { notRequested }) };
    let rest = difference;
    const carriedOut: string[] = [];
    for (const intent of confirmed.toReversed()) {
      const touched = touchedBy(intent.difference);
      const part = partOf(rest, (identity) => touched.has(identity));
      if (isNoDifference(part)) continue;
      carriedOut.push(intent.id);
      if (claim.by !== undefined || claim.basis === 'possibleWrite') continue;
      // The author of the change is not known, but an intent for it was recorded in this service.
      rest = partOf(rest, (identity) => !touched.has(identity));
      this.push({ ...claim, ...byIntent(intent), difference: part }, life);
    }
    if (isNoDifference(rest)) return;
    this.push({ ...noted, difference: rest, intents: rest === difference ? carriedOut.sort() : [] }, life);
  }

  private push(change: Omit<AttributedChange, 'node'>, life: AttributedChange['life']): void {
    this.changes.push({
      node: this.node,
      ...(this.uid !== undefined && { uid: this.uid }),
      ...(life !== undefined && { life }),
      ...change,
      ...(this.observed !== undefined && { observedBefore: this.observed }),
    });
  }

  /** The node was deleted, and its taints and its cordon with it. */
  private vanish(claim: Claim, at: Timestamp): void {
    const { taints, unschedulable } = this.known;
    if (taints === undefined || unschedulable === undefined) {
      this.push({ ...claim, difference: null }, 'deleted');
    } else {
      const difference = taintDifference({ taints, unschedulable }, NOTHING);
      if (!isNoDifference(difference)) this.push({ ...claim, difference }, 'deleted');
    }
    this.isGone(at);
  }

  private isGone(at: Timestamp): void {
    for (const field of FIELDS) {
      this.resolve(field);
      this.owners.delete(field);
      this.seenAt.set(field, at);
    }
    this.known = NOTHING;
    this.exists = false;
    this.uid = undefined;
    this.version = undefined;
    this.lastSeen = at;
  }

  /** Records a write whose effect on a field is not known. */
  private wait(event: AuditEvent): void {
    const pending: Pending = { event, seen: 'notSeenSince' };
    let waits = false;
    for (const field of FIELDS) {
      const asked = event.requested[field];
      const open =
        asked === 'omitted' ? isAppliedBy(event, this.owners.get(field)) : asked === 'unknown' || asked === 'touched';
      if (!open) continue;
      this.pending[field].push(pending);
      waits = true;
    }
    if (waits && isWritten(event)) this.writes.push(pending);
  }

  /** A field was observed again, which resolves its pending writes, with or without a change. */
  private resolve(field: WatchedField, claim?: Claim): void {
    for (const write of this.pending[field]) {
      if (claim?.auditIDs.includes(write.event.auditID) === true) write.seen = 'attributed';
      else if (claim?.candidates !== undefined && write.seen !== 'attributed') write.seen = 'candidate';
      else if (write.seen === 'notSeenSince') write.seen = 'noChangeSeen';
    }
    this.pending[field] = [];
  }

  private attempt(event: AuditEvent): TaintAttempt['outcome'] {
    const { responseCode: code, responseReason: reason, dryRun, requested } = event;
    const outcome =
      code === undefined
        ? dryRun
          ? 'dryRun'
          : 'unknown'
        : code >= 500
          ? 'failed'
          : code >= 400
            ? 'refused'
            : 'dryRun';
    this.attempts.push({
      ...this.requestOf(event),
      outcome,
      ...(code !== undefined && { code }),
      ...(reason !== undefined && { reason }),
      requested,
    });
    return outcome;
  }

  private requestOf(event: AuditEvent): NodeRequest {
    const by = authorOf(event);
    const { auditID, stageTimestamp: at, verb } = event;
    return { node: this.node, auditID, at, verb, ...(by !== undefined && { by }), actor: actorOf(event) };
  }
}

/** The change was recorded in this service before it was observed in the cluster. */
function byIntent({ id, author }: TaintIntent): Partial<AttributedChange> {
  return {
    channel: 'api',
    basis: 'intent',
    certainty: 'likely',
    by: { username: author },
    actor: { class: 'person', from: 'intent' },
    intents: [id],
  };
}

/** Claims of one entry on several fields form one change, unless they differ. */
function together(claims: readonly FieldClaim[]): readonly FieldClaim[] {
  const [first, second] = claims;
  if (first === undefined || second === undefined) return claims;
  const one = first.claim.auditIDs[0];
  const same = one !== undefined && one === second.claim.auditIDs[0] && first.claim.basis === second.claim.basis;
  if (!same || (first.difference === null) !== (second.difference === null)) return claims;
  const difference =
    first.difference === null || second.difference === null
      ? null
      : { ...second.difference, ...taintsOf(first.difference) };
  return [{ claim: first.claim, difference, set: { ...first.set, ...second.set } }];
}

const taintsOf = ({ added, removed, changed }: TaintDifference): TaintDifference => ({ added, removed, changed });

/** Added taints that the request does not contain, although it sets the list. */
function notRequestedIn(event: AuditEvent | undefined, added: readonly Taint[]): readonly Taint[] {
  const asked = event?.requested.taints;
  if (typeof asked !== 'object' || event?.responded === undefined) return [];
  const named = new Set(asked.value.map(({ key, effect }) => `${effect}\n${key}`));
  return added.filter(({ key, effect }) => !named.has(`${effect}\n${key}`));
}
