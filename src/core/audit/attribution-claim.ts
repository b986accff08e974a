import { endOfSecond, microsecondsOf } from '../kubernetes/moment.js';
import type { TaintOwnership, Timestamp } from '../kubernetes/objects/meta.js';
import { actingUser, type Actor, actorOf, actorOfManager, managerOf } from './actor.js';
import type { AttributedChange, AttributionBasis, Author, When } from './attributed-change.js';
import type { AuditEvent } from './audit-event.js';
import { type FieldOwner, isWrittenBy, ownersOf, type WatchedField } from './field-ownership.js';

/** The author of a change of a field, with confidence and evidence: all of a change except the difference. */
export type Claim = Pick<
  AttributedChange,
  'when' | 'channel' | 'by' | 'actor' | 'basis' | 'certainty' | 'candidates' | 'lastWriters' | 'auditIDs' | 'intents'
>;

/** What is known about a field before a change of it. */
export interface Before {
  /** The resourceVersion of the last complete observation. */
  readonly version?: string;
  readonly owners?: readonly FieldOwner[];
  /** When the field was last observed with its former value. */
  readonly at?: Timestamp;
  /** Later writes with unknown content. */
  readonly pending: readonly AuditEvent[];
}

/**
 * The claim of an event on the difference between the state in its response (or its request) and the last known state;
 * undefined if another, unobserved write made the difference.
 */
export function claimOfEvent(event: AuditEvent, field: WatchedField, before: Before): Claim | undefined {
  const { requested, responded, verb } = event;
  if (verb === 'create') return claimed(event, 'creation');
  const asked = requested[field];
  if (responded === undefined) return claimed(event, 'request', before.pending);
  const owners = ownersOf(responded.ownership, field);
  const seen = { ...(owners !== undefined && { lastWriters: owners }) };
  if (requested.resourceVersion !== undefined && requested.resourceVersion === before.version) {
    return { ...claimed(event, 'unbrokenWrite'), ...seen };
  }
  const says = typeof asked === 'object' || asked === 'touched';
  // The API server records the writer of a field; it cannot do so for a removed field.
  const wrote =
    owners === undefined
      ? says
      : owners.some((owner) => isWrittenBy(owner, event)) ||
        (owners.length === 0 && (says || (asked === 'omitted' && isAppliedBy(event, before.owners))));
  return wrote ? { ...claimed(event, 'response', before.pending), ...seen } : undefined;
}

/** The claim of an observation made after a change: a snapshot, or the response to a write of another field. */
export function claimOfGap(
  field: WatchedField,
  before: Before,
  seen: {
    readonly at: Timestamp;
    readonly ownership?: readonly TaintOwnership[];
    readonly channel: 'snapshot' | 'auditEvent';
  },
): Claim {
  const owners = ownersOf(seen.ownership, field);
  const { pending } = before;
  const lastWriters = { ...(owners !== undefined && { lastWriters: owners }) };
  const owning = pending.filter((event) => owners?.some((owner) => isWrittenBy(owner, event)));
  if (owning.length === 1) {
    const [event] = owning;
    return {
      ...claimed(
        event!,
        'ownedWrite',
        pending.filter((other) => other !== event),
      ),
      ...lastWriters,
    };
  }
  const when = intervalOf(before.at, seen.at, owners);
  const unnamed = { when, channel: seen.channel, auditIDs: [], intents: [], ...lastWriters };
  // An owner that no known write explains indicates an unobserved write.
  const unexplained = owners !== undefined && owners.length > 0 && owning.length === 0;
  if (pending.length > 0 && !unexplained) {
    return { ...unnamed, ...withCandidates(pending), actor: NOBODY, basis: 'possibleWrite', certainty: 'possible' };
  }
  const [owner, ...sharers] = owners?.filter(({ time }) => isWithin(time, before.at)) ?? [];
  if (owner === undefined) {
    return { ...unnamed, ...withCandidates(pending), actor: NOBODY, basis: 'none', certainty: 'unknown' };
  }
  const actor: Actor = sharers.length === 0 && owners?.length === 1 ? actorOfManager(owner.manager) : NOBODY;
  return { ...unnamed, ...withCandidates(pending), actor, basis: 'fieldOwner', certainty: 'unknown' };
}

/** The claim of an event on a difference. */
export function claimed(event: AuditEvent, basis: AttributionBasis, others: readonly AuditEvent[] = []): Claim {
  const by = authorOf(event);
  return {
    when: { kind: 'point', at: event.stageTimestamp },
    channel: 'auditEvent',
    ...(by !== undefined && { by }),
    actor: actorOf(event),
    basis,
    certainty: CERTAIN.includes(basis) ? 'certain' : 'likely',
    ...withCandidates(others),
    auditIDs: [event.auditID],
    intents: [],
  };
}

/** The author of an event's request; undefined if the API server could not identify the client. */
export function authorOf(event: AuditEvent): Author | undefined {
  const acting = actingUser(event);
  if (acting === undefined) return undefined;
  const { user, impersonatedUser, sourceIPs, userAgent } = event;
  return {
    ...acting,
    ...(impersonatedUser !== undefined && user !== undefined && { impersonatedBy: user.username }),
    sourceIPs,
    ...(userAgent !== undefined && { userAgent }),
  };
}

/** A change without a known author, between two times. */
export function unclaimed(from: Timestamp | undefined, to: Timestamp, channel: 'snapshot' | 'auditEvent'): Claim {
  const when: When = { kind: 'interval', ...(from !== undefined && { from }), to };
  return { when, channel, actor: NOBODY, basis: 'none', certainty: 'unknown', auditIDs: [], intents: [] };
}

const CERTAIN: readonly AttributionBasis[] = ['unbrokenWrite', 'creation', 'deletion'];
const NOBODY: Actor = { class: 'unknown', from: 'nothing' };

function withCandidates(events: readonly AuditEvent[]): Pick<Claim, 'candidates'> {
  if (events.length === 0) return {};
  const candidates = events.map((event) => {
    const by = authorOf(event);
    return { auditID: event.auditID, ...(by !== undefined && { by }), at: event.stageTimestamp };
  });
  return { candidates };
}

/** Whether an apply without the field removes it: only if the same manager had applied it. */
export function isAppliedBy(event: AuditEvent, owners: readonly FieldOwner[] | undefined): boolean {
  const manager = managerOf(event);
  return owners?.some((owner) => owner.manager === manager && owner.operation === 'Apply') ?? false;
}

/**
 * Whether an owner wrote after the field was last observed with its former value: an older entry did not make the
 * change.
 */
function isWithin(time: Timestamp | undefined, from: Timestamp | undefined): boolean {
  const written = time === undefined ? undefined : microsecondsOf(time);
  const after = from === undefined ? undefined : microsecondsOf(from);
  return written !== undefined && (after === undefined || written >= Math.floor(after / 1_000_000) * 1_000_000);
}

/**
 * A sole owner's value is unchanged since its entry was last written, so the change was made no later than in that
 * second.
 */
function intervalOf(from: Timestamp | undefined, to: Timestamp, owners: readonly FieldOwner[] | undefined): When {
  const [owner] = owners ?? [];
  const written = owners?.length === 1 && isWithin(owner?.time, from) ? microsecondsOf(owner?.time ?? '') : undefined;
  const seen = microsecondsOf(to);
  const end = written === undefined ? undefined : endOfSecond(written);
  const earlier = end !== undefined && seen !== undefined && (microsecondsOf(end) ?? seen) < seen;
  return { kind: 'interval', ...(from !== undefined && { from }), to: earlier ? end : to };
}
