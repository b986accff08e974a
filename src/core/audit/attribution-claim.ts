import { endOfSecond, microsecondsOf } from '../kubernetes/moment.js';
import type { TaintOwnership, Timestamp } from '../kubernetes/objects/meta.js';
import { actingUser, type Actor, actorOf, actorOfManager, managerOf } from './actor.js';
import type { AttributedChange, AttributionBasis, Author, When } from './attributed-change.js';
import type { AuditEvent } from './audit-event.js';
import { type FieldOwner, isWrittenBy, ownersOf, type WatchedField } from './field-ownership.js';

/** Who changed a field, how sure that is and why: what a change says besides the difference. */
export type Claim = Pick<
  AttributedChange,
  'when' | 'channel' | 'by' | 'actor' | 'basis' | 'certainty' | 'candidates' | 'lastWriters' | 'auditIDs' | 'intents'
>;

/** What is known of a field before a change of it. */
export interface Before {
  /** The resourceVersion of the last state that was seen whole. */
  readonly version?: string;
  readonly owners?: readonly FieldOwner[];
  /** When the field was last seen as it was. */
  readonly at?: Timestamp;
  /** Writes since then whose content is not known. */
  readonly pending: readonly AuditEvent[];
}

/**
 * The claim of an event on the difference between the state that its response (or its request) shows and the last one
 * known; undefined where the event did not make it, so that a write which nobody saw must have.
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
  // The API server notes the writer of a field; only of a field that is gone it cannot.
  const wrote =
    owners === undefined
      ? says
      : owners.some((owner) => isWrittenBy(owner, event)) ||
        (owners.length === 0 && (says || (asked === 'omitted' && isAppliedBy(event, before.owners))));
  return wrote ? { ...claimed(event, 'response', before.pending), ...seen } : undefined;
}

/** What an observer can say of a change that it only saw afterwards: a snapshot, or the response to a write of another field. */
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
  // An owner that none of the known writes explains speaks for a write that nobody saw.
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

/** Who made an event's request; undefined where the API server did not know. */
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

/** A change that nobody is known to have made, between two times. */
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

/** Whether a silent apply takes the field away: only from the manager that had applied it. */
export function isAppliedBy(event: AuditEvent, owners: readonly FieldOwner[] | undefined): boolean {
  const manager = managerOf(event);
  return owners?.some((owner) => owner.manager === manager && owner.operation === 'Apply') ?? false;
}

/** Whether an owner wrote after the field was last seen as before: an older entry did not make the change. */
function isWithin(time: Timestamp | undefined, from: Timestamp | undefined): boolean {
  const written = time === undefined ? undefined : microsecondsOf(time);
  const after = from === undefined ? undefined : microsecondsOf(from);
  return written !== undefined && (after === undefined || written >= Math.floor(after / 1_000_000) * 1_000_000);
}

/** A sole owner's value stands since its entry was last written, so the change was made no later than in that second. */
function intervalOf(from: Timestamp | undefined, to: Timestamp, owners: readonly FieldOwner[] | undefined): When {
  const [owner] = owners ?? [];
  const written = owners?.length === 1 && isWithin(owner?.time, from) ? microsecondsOf(owner?.time ?? '') : undefined;
  const seen = microsecondsOf(to);
  const end = written === undefined ? undefined : endOfSecond(written);
  const earlier = end !== undefined && seen !== undefined && (microsecondsOf(end) ?? seen) < seen;
  return { kind: 'interval', ...(from !== undefined && { from }), to: earlier ? end : to };
}
