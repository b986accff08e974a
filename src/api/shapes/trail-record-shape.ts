import {
  when,
  trailAuthor,
  trailActor,
  trailRecord,
  recordEffects,
  trailRecordDetailsResponse,
} from '../../contract/taint-trail/trail-record.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { RecordEffects } from '../../app/taint-trail/effects-of-record.js';
import type { ExplainedRecord } from '../../app/taint-trail/get-record.js';
import type { AuthorView, RecordView } from '../../app/taint-trail/record-view.js';
import type { Actor } from '../../core/audit/actor.js';
import type { When } from '../../core/audit/attributed-change.js';
import type { Plain } from './plain.js';
import { labelDifferenceShape, taintDifferenceShape } from './taint-difference-shape.js';
import { taintEffectsShape } from './taint-effects-shape.js';

export const WhenShape = responseClass(when);
export type WhenShape = Response<typeof when>;

export function whenShape(when: When): Plain<WhenShape> {
  return when.kind === 'point'
    ? { kind: 'point', from: when.at, to: when.at }
    : { kind: 'interval', from: when.from ?? null, to: when.to };
}

export const TrailAuthorShape = responseClass(trailAuthor);
export type TrailAuthorShape = Response<typeof trailAuthor>;

export function trailAuthorShape(by: AuthorView | null): Plain<TrailAuthorShape> | null {
  if (by === null) return null;
  const {
    username,
    kind = null,
    uid = null,
    groups = [],
    impersonatedBy = null,
    sourceIPs = [],
    userAgent = null,
  } = by;
  return { username, kind, uid, groups, impersonatedBy, sourceIPs, userAgent };
}

export const TrailActorShape = responseClass(trailActor);
export type TrailActorShape = Response<typeof trailActor>;

export function trailActorShape(actor: Actor | null): Plain<TrailActorShape> | null {
  return actor === null ? null : { class: actor.class, from: actor.from, program: actor.program ?? null };
}

export const TrailRecordShape = responseClass(trailRecord);
export type TrailRecordShape = Response<typeof trailRecord>;

export function trailRecordShape(view: RecordView): Plain<TrailRecordShape> {
  const { when, by, actor, difference, labels, body, ...rest } = view;
  return {
    ...rest,
    // As it was written: this service wrote it.
    body: body as TrailRecordShape['body'],
    when: whenShape(when),
    by: trailAuthorShape(by),
    actor: trailActorShape(actor),
    difference: difference === null ? null : taintDifferenceShape(difference),
    labels: labels === null ? null : labelDifferenceShape(labels),
  };
}

export const RecordEffectsShape = responseClass(recordEffects);
export type RecordEffectsShape = Response<typeof recordEffects>;

export const TrailRecordDetailsShape = responseClass(trailRecordDetailsResponse);
export type TrailRecordDetailsShape = Response<typeof trailRecordDetailsResponse>;

/** @param shown whether the caller may see values of taints: a text cannot be masked and still be what was hashed */
export function trailRecordDetailsShape(
  { record, proves, doesNotProve, effects, canonical }: ExplainedRecord,
  shown: boolean,
): Plain<TrailRecordDetailsShape> {
  return {
    ...trailRecordShape(record),
    proves,
    doesNotProve,
    effects: effects === null ? null : recordEffectsShape(effects),
    canonical: shown ? canonical : null,
  };
}

function recordEffectsShape({ effects, ...rest }: RecordEffects): Plain<RecordEffectsShape> {
  return { ...rest, effects: effects === null ? null : taintEffectsShape(effects) };
}
