import { ObjectType } from '@nestjs/graphql';
import type { RecordEffects } from '../../app/taint-trail/effects-of-record.js';
import type { ExplainedRecord } from '../../app/taint-trail/get-record.js';
import type { AuthorView, RecordView } from '../../app/taint-trail/record-view.js';
import type { Actor } from '../../core/audit/actor.js';
import type { When } from '../../core/audit/attributed-change.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';
import {
  LabelDifferenceShape,
  labelDifferenceShape,
  TaintDifferenceShape,
  taintDifferenceShape,
} from './taint-difference-shape.js';
import { TaintEffectsShape, taintEffectsShape } from './taint-effects-shape.js';

export const RECORD_KIND = wordsType(
  'TrailRecordKind',
  'request: a change asked for here; change: a change of one node, made here or learnt of; found: what stood when the node ' +
    'was first seen; intent: what became of a change made here; attempt: a request that changed nothing; write: one of which it ' +
    'is not known what it wrote; withdrawn: a record that later evidence does not bear out; closed: the cluster was deleted here.',
  ['request', 'change', 'found', 'intent', 'attempt', 'write', 'withdrawn', 'closed'],
);
export const CHANNEL = wordsType(
  'TrailChannel',
  'What a record was learnt from: this API, a snapshot, or an audit event of an API server.',
  ['api', 'snapshot', 'auditEvent'],
);
const WHEN = wordsType('WhenKind', 'A point in time, or two times between which something happened.', [
  'point',
  'interval',
]);

@ObjectType('When', { description: 'When something happened, as far as it is known.' })
export class WhenShape {
  @Shown({ type: WHEN, description: 'A point, or an interval.', example: 'interval' })
  kind!: string;

  @Shown({
    type: 'string',
    optional: true,
    description: 'Not before this time (RFC 3339); of an interval null where nothing is known of before.',
    example: '2026-05-04T03:00:00Z',
  })
  from!: string | null;

  @Shown({ type: 'string', description: 'Not after this time; of a point the same.', example: '2026-05-04T03:02:01Z' })
  to!: string;
}

export function whenShape(when: When): Plain<WhenShape> {
  return when.kind === 'point'
    ? { kind: 'point', from: when.at, to: when.at }
    : { kind: 'interval', from: when.from ?? null, to: when.to };
}

@ObjectType('TrailAuthor', { description: 'Who is named by a record.' })
export class TrailAuthorShape {
  @Shown({ type: 'string', description: 'Whose rights were used.', example: 'alice' })
  username!: string;

  @Shown({
    type: 'string',
    optional: true,
    description: 'How this service knew the caller (anonymous, token, oidc, service); null for users of an API server.',
    example: null,
  })
  kind!: string | null;

  @Shown({ type: 'string', optional: true, description: 'The uid that the API server knew.', example: null })
  uid!: string | null;

  @Shown({ type: 'string', list: true, description: 'The groups.', example: ['sre'] })
  groups!: readonly string[];

  @Shown({ type: 'string', optional: true, description: 'Who was authenticated, where another one.', example: null })
  impersonatedBy!: string | null;

  @Shown({ type: 'string', list: true, description: 'Where the request came from.', example: ['10.0.0.7'] })
  sourceIPs!: readonly string[];

  @Shown({ type: 'string', optional: true, description: 'What the client says it is.', example: 'kubectl/v1.36.2' })
  userAgent!: string | null;
}

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

@ObjectType('TrailActor', { description: 'What kind of writer is behind a change: a person, or which controller.' })
export class TrailActorShape {
  @Shown({ type: 'string', description: 'Such as person, nodeLifecycleController, kubelet, kubectl, unknown.' })
  class!: string;

  @Shown({
    type: 'string',
    description: 'What tells: user, userAgent, fieldManager, intent, nothing.',
    example: 'user',
  })
  from!: string;

  @Shown({ type: 'string', optional: true, description: 'The program, where one is named.', example: 'kubectl' })
  program!: string | null;
}

export function trailActorShape(actor: Actor | null): Plain<TrailActorShape> | null {
  return actor === null ? null : { class: actor.class, from: actor.from, program: actor.program ?? null };
}

/** What every record shows, in lists and alone. */
@ObjectType({ isAbstract: true })
export abstract class TrailRecordHeadShape {
  @Shown({ type: 'string', description: 'The name of the cluster.', example: 'example' })
  cluster!: string;

  @Shown({ type: 'int64', description: 'Its id.', example: 1 })
  clusterId!: number;

  @Shown({ type: 'int64', description: 'The place in the chain, from 1 without a gap.', example: 1 })
  sequence!: number;

  @Shown({ type: RECORD_KIND, description: 'What it is about.', example: 'found' })
  kind!: string;

  @Shown({ type: 'string', description: 'What it says in one line.', example: 'added dedicated=ml:NoSchedule' })
  summary!: string;

  @Shown({ type: 'string', optional: true, description: 'The node.', example: 'node-1' })
  node!: string | null;

  @Shown({ type: () => WhenShape, description: 'When it happened.' })
  when!: Plain<WhenShape>;

  @Shown({ type: 'string', description: 'When it was written.', example: '2026-05-04T03:02:01.000Z' })
  recordedAt!: string;

  @Shown({ type: 'integer', optional: true, description: 'The revision that it came with.', example: 1 })
  revision!: number | null;

  @Shown({ type: CHANNEL, optional: true, description: 'What it was learnt from.', example: 'snapshot' })
  channel!: string | null;

  @Shown({ type: () => TrailAuthorShape, optional: true, description: 'Who did it, where that is proven.' })
  by!: Plain<TrailAuthorShape> | null;

  @Shown({ type: 'string', optional: true, description: 'For whom, as the caller said.', example: null })
  onBehalfOf!: string | null;

  @Shown({ type: () => TrailActorShape, optional: true, description: 'What kind of writer is behind it.' })
  actor!: Plain<TrailActorShape> | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'What the attribution of a change that was learnt of rests on, such as unbrokenWrite or fieldOwner.',
    example: null,
  })
  basis!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'How far `by` may be relied upon: certain, likely, possible or unknown.',
    example: null,
  })
  certainty!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'Of an intent what became of it, of an attempt its outcome, of a write whether a change was seen.',
    example: null,
  })
  status!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Why, as its author said.', example: null })
  reason!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Where more is to be read.', example: null })
  link!: string | null;

  @Shown({ type: 'id', optional: true, description: 'The change made here that it belongs to.', example: null })
  change!: string | null;

  @Shown({ type: () => TaintDifferenceShape, optional: true, description: 'What happened to the node, where known.' })
  difference!: Plain<TaintDifferenceShape> | null;

  @Shown({
    type: () => LabelDifferenceShape,
    optional: true,
    description: 'What happened to its labels along with it.',
  })
  labels!: Plain<LabelDifferenceShape> | null;

  @Shown({ type: 'json', description: 'All that it says beyond what every record carries, as it was written.' })
  body!: unknown;

  @Shown({ type: 'int64', list: true, description: 'The records whose place it takes.', example: [] })
  supersedes!: readonly number[];

  @Shown({ type: 'int64', optional: true, description: 'The record that has taken its place.', example: null })
  supersededBy!: number | null;

  @Shown({ type: 'string', optional: true, description: 'The hash of the record before it.' })
  previousHash!: string | null;

  @Shown({ type: 'string', description: 'SHA-256 over its canonical JSON (RFC 8785).' })
  hash!: string;
}

/** A record in a list. */
export class TrailRecordShape extends TrailRecordHeadShape {}

export function trailRecordShape(view: RecordView): Plain<TrailRecordShape> {
  const { when, by, actor, difference, labels, ...rest } = view;
  return {
    ...rest,
    when: whenShape(when),
    by: trailAuthorShape(by),
    actor: trailActorShape(actor),
    difference: difference === null ? null : taintDifferenceShape(difference),
    labels: labels === null ? null : labelDifferenceShape(labels),
  };
}

const SOURCE = wordsType(
  'RecordEffectsSource',
  'recorded: worked out when the change was made here, for all of its nodes; computed: worked out now, from the last snapshot ' +
    'before the change and this change alone; unknown: see `why`.',
  ['recorded', 'computed', 'unknown'],
);

@ObjectType('RecordEffects', { description: 'What a change did to pods and workloads at its time.' })
export class RecordEffectsShape {
  @Shown({ type: SOURCE, description: 'Where it is from.', example: 'computed' })
  source!: string;

  @Shown({ type: 'int64', optional: true, description: 'The record that has it.', example: null })
  sequence!: number | null;

  @Shown({ type: 'integer', optional: true, description: 'The revision that it was worked out from.', example: 1 })
  revision!: number | null;

  @Shown({ type: () => TaintEffectsShape, optional: true, description: 'What it did; null where that is unknown.' })
  effects!: Plain<TaintEffectsShape> | null;

  @Shown({ type: 'string', optional: true, description: 'Why it is unknown.', example: null })
  why!: string | null;
}

@ObjectType('TrailRecord', { description: 'A record of a trail, with what it proves.' })
export class TrailRecordDetailsShape extends TrailRecordHeadShape {
  @Shown({ type: 'string', list: true, description: 'What it proves.' })
  proves!: readonly string[];

  @Shown({ type: 'string', list: true, description: 'What it does not prove.' })
  doesNotProve!: readonly string[];

  @Shown({ type: () => RecordEffectsShape, optional: true, description: 'What it did; null unless asked for.' })
  effects!: Plain<RecordEffectsShape> | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'The text that the hash is of; null to callers from whom values of taints are withheld.',
  })
  canonical!: string | null;
}

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
