import type { Actor } from '../../core/audit/actor.js';
import type { When } from '../../core/audit/attributed-change.js';
import { explainRecord } from '../../core/audit/explain-record.js';
import type {
  trailActor,
  trailAuthor,
  trailRecord,
  trailRecordDetailsResponse,
} from '../../contract/taint-trail/trail-record.js';
import type { when } from '../../contract/taint-trail/when.js';
import type { Response } from '../../contract/schema.js';
import type { RequestContext } from '../request-context.js';
import { type EffectsView, taintEffectsResponse } from '../taint-changes/taint-effects-response.js';
import { labelDifferenceResponse, taintDifferenceResponse } from '../taints/taint-difference-response.js';
import type { RecordEffects } from './effects-of-record.js';
import { type AuthorResponse, isReadable, type RecordResponse, type WrittenRecord } from './record-response.js';

export function presentWhen(given: When): Response<typeof when> {
  return given.kind === 'point'
    ? { kind: 'point', from: given.at, to: given.at }
    : { kind: 'interval', from: given.from ?? null, to: given.to };
}

export function presentAuthor(by: AuthorResponse | null): Response<typeof trailAuthor> | null {
  if (by === null) return null;
  const { username, kind = null, uid = null, groups = [], impersonatedBy = null } = by;
  const { sourceIPs = [], userAgent = null } = by;
  return { username, kind, uid, groups, impersonatedBy, sourceIPs, userAgent };
}

export function presentActor(actor: Actor | null): Response<typeof trailActor> | null {
  return actor === null ? null : { class: actor.class, from: actor.from, program: actor.program ?? null };
}

export function presentRecord(view: RecordResponse): Response<typeof trailRecord> {
  const { when, by, actor, difference, labels, content, ...rest } = view;
  return {
    ...rest,
    body: content,
    when: presentWhen(when),
    by: presentAuthor(by),
    actor: presentActor(actor),
    difference: difference === null ? null : taintDifferenceResponse(difference),
    labels: labels === null ? null : labelDifferenceResponse(labels),
  };
}

/** Renders a record with its evidence; undefined if it was tampered with and is invalid. */
export function presentRecordDetails(
  { record, canonical }: WrittenRecord,
  found: RecordEffects | null,
  { access }: Pick<RequestContext, 'access'>,
  view?: EffectsView,
): Response<typeof trailRecordDetailsResponse> {
  return {
    ...presentRecord(record),
    ...(isReadable(record) ? explainRecord(record.kind, record.body) : { proves: [], doesNotProve: [] }),
    effects: found && { ...found, effects: found.effects && taintEffectsResponse(found.effects, view) },
    // A masked text would no longer match its hash.
    canonical: access.seesTaintValues(record.cluster) ? canonical : null,
  };
}
