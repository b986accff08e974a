import { ObjectType } from '@nestjs/graphql';
import type { DeedView, NodeHistoryView, StandingView } from '../../app/taint-trail/read-node-history.js';
import { taintView } from '../../app/taints/taint-view.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown } from './property.js';
import { TaintDifferenceShape, taintDifferenceShape } from './taint-difference-shape.js';
import { TaintShape } from './taint-shape.js';
import {
  CHANNEL,
  RECORD_KIND,
  TrailActorShape,
  trailActorShape,
  TrailAuthorShape,
  trailAuthorShape,
  WhenShape,
  whenShape,
} from './trail-record-shape.js';
import { TrailShape } from './trail-shape.js';

export const INTENTS = wordsType(
  'HistoryIntents',
  'Whether changes made here count that the cluster has neither shown nor refuted.',
  ['include', 'exclude'],
);

@ObjectType('LastWriter', { description: 'An entry of managedFields that owns a field: its writer, by its own word.' })
export class LastWriterShape {
  @Shown({ type: 'string', optional: true, description: 'The field manager.', example: 'kube-controller-manager' })
  manager!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Update or Apply.', example: 'Update' })
  operation!: string | null;

  @Shown({ type: 'string', optional: true, description: 'When the entry was last written.' })
  time!: string | null;
}

@ObjectType('CarriedOut', { description: 'The write that brought a change made here to the cluster.' })
export class CarriedOutShape {
  @Shown({ type: 'int64', description: 'Its record.', example: 7 })
  sequence!: number;

  @Shown({ type: () => TrailAuthorShape, optional: true, description: 'Who made it.' })
  by!: Plain<TrailAuthorShape> | null;

  @Shown({ type: () => TrailActorShape, optional: true, description: 'What kind of writer.' })
  actor!: Plain<TrailActorShape> | null;

  @Shown({ type: () => WhenShape, description: 'When.' })
  when!: Plain<WhenShape>;
}

@ObjectType('Deed', { description: 'Who began or ended something, when and why, and how that is known.' })
export class DeedShape {
  @Shown({ type: 'int64', description: 'The record that says so.', example: 1 })
  sequence!: number;

  @Shown({ type: RECORD_KIND, description: 'A change; or `found`, where it stood when the node was first seen.' })
  kind!: string;

  @Shown({ type: () => WhenShape, description: 'When it happened.' })
  when!: Plain<WhenShape>;

  @Shown({ type: 'string', description: 'When the record was written.', example: '2026-05-04T03:02:01.000Z' })
  recordedAt!: string;

  @Shown({ type: 'integer', optional: true, description: 'The revision that the record came with.', example: 1 })
  revision!: number | null;

  @Shown({ type: CHANNEL, optional: true, description: 'What it was learnt from.', example: 'snapshot' })
  channel!: string | null;

  @Shown({ type: () => TrailAuthorShape, optional: true, description: 'Who did it, where that is proven.' })
  by!: Plain<TrailAuthorShape> | null;

  @Shown({ type: 'string', optional: true, description: 'For whom, as the caller said.', example: null })
  onBehalfOf!: string | null;

  @Shown({ type: () => TrailActorShape, optional: true, description: 'What kind of writer is behind it.' })
  actor!: Plain<TrailActorShape> | null;

  @Shown({ type: 'string', optional: true, description: 'What the attribution rests on.', example: null })
  basis!: string | null;

  @Shown({ type: 'string', optional: true, description: 'certain, likely, possible or unknown.', example: null })
  certainty!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Why, as its author said.', example: null })
  reason!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Where more is to be read.', example: null })
  link!: string | null;

  @Shown({ type: 'id', optional: true, description: 'The change made here.', example: null })
  change!: string | null;

  @Shown({ type: 'boolean', description: 'Whether the cluster has shown it.', example: true })
  confirmed!: boolean;

  @Shown({
    type: () => CarriedOutShape,
    optional: true,
    description: 'Of a change made here, the write in the cluster.',
  })
  carriedOutBy!: Plain<CarriedOutShape> | null;

  @Shown({
    type: () => LastWriterShape,
    list: true,
    optional: true,
    description: 'Who wrote the field last by managedFields; null without them, empty where nobody owns it.',
  })
  lastWriters!: readonly Plain<LastWriterShape>[] | null;

  @Shown({ type: 'string', list: true, description: 'What the record proves.' })
  proves!: readonly string[];

  @Shown({ type: 'string', list: true, description: 'What it does not prove.' })
  doesNotProve!: readonly string[];
}

const STOOD = wordsType('Stood', 'Whether something stood at a moment; maybe: the moment lies where it is not known.', [
  'yes',
  'maybe',
]);

@ObjectType('Standing', { description: 'A taint with one value, or the cordon, for as long as it stood.' })
export class StandingShape {
  @Shown({ type: () => TaintShape, optional: true, description: 'The taint; null for the cordon.' })
  taint!: Plain<TaintShape> | null;

  @Shown({ type: () => WhenShape, description: 'When it began.' })
  from!: Plain<WhenShape>;

  @Shown({ type: () => DeedShape, optional: true, description: 'Who set it; null where only its end is known.' })
  setBy!: Plain<DeedShape> | null;

  @Shown({ type: () => WhenShape, optional: true, description: 'When it ended; null while it stands.' })
  to!: Plain<WhenShape> | null;

  @Shown({ type: () => DeedShape, optional: true, description: 'Who took it off; null while it stands.' })
  removedBy!: Plain<DeedShape> | null;

  @Shown({ type: 'boolean', description: 'Whether the cluster has shown it.', example: true })
  confirmed!: boolean;

  @Shown({ type: STOOD, optional: true, description: 'Whether it stood at `at`; null where no moment was asked for.' })
  stood!: string | null;
}

@ObjectType('UnappliedChange', { description: 'A change made here that never came to the cluster.' })
export class UnappliedChangeShape {
  @Shown({ type: () => DeedShape, description: 'Who made it.' })
  deed!: Plain<DeedShape>;

  @Shown({ type: () => TaintDifferenceShape, description: 'What it would have done.' })
  difference!: Plain<TaintDifferenceShape>;

  @Shown({ type: 'string', description: 'notApplied or overwritten.', example: 'notApplied' })
  status!: string;

  @Shown({ type: 'int64', description: 'The record that says so.', example: 4 })
  saidIn!: number;
}

@ObjectType('NodeHistory', { description: 'The taints and cordons of one node as intervals.' })
export class NodeHistoryShape {
  @Shown({ type: () => TrailShape, description: 'The trail that it is from.' })
  trail!: Plain<TrailShape>;

  @Shown({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;

  @Shown({ type: 'string', optional: true, description: 'The moment that was asked for.', example: null })
  at!: string | null;

  @Shown({ type: INTENTS, description: 'Whether unconfirmed changes made here count.', example: 'include' })
  intents!: string;

  @Shown({ type: () => StandingShape, list: true, description: 'Taints, the newest beginning first.' })
  taints!: readonly Plain<StandingShape>[];

  @Shown({ type: () => StandingShape, list: true, description: 'Cordons, the newest beginning first.' })
  cordons!: readonly Plain<StandingShape>[];

  @Shown({ type: () => UnappliedChangeShape, list: true, description: 'Changes made here that never came to it.' })
  unapplied!: readonly Plain<UnappliedChangeShape>[];

  @Shown({ type: 'integer', description: 'How many intervals there are, beyond the limit too.', example: 1 })
  total!: number;

  @Shown({
    type: 'boolean',
    description:
      'Whether every record of the node was read: of more than 10,000 the newest are, and what began before has no beginning.',
    example: true,
  })
  complete!: boolean;
}

export function nodeHistoryShape(history: NodeHistoryView): Plain<NodeHistoryShape> {
  const { taints, cordons, unapplied, ...rest } = history;
  return {
    ...rest,
    taints: taints.map(standingShape),
    cordons: cordons.map(standingShape),
    unapplied: unapplied.map(({ deed, difference, ...one }) => ({
      ...one,
      deed: deedShape(deed),
      difference: taintDifferenceShape(difference),
    })),
  };
}

function standingShape({ taint, from, setBy, to, removedBy, ...rest }: StandingView): Plain<StandingShape> {
  return {
    ...rest,
    taint: taint === null ? null : taintView(taint),
    from: whenShape(from),
    setBy: setBy === null ? null : deedShape(setBy),
    to: to === null ? null : whenShape(to),
    removedBy: removedBy === null ? null : deedShape(removedBy),
  };
}

function deedShape({ when, by, actor, carriedOutBy, lastWriters, ...rest }: DeedView): Plain<DeedShape> {
  return {
    ...rest,
    when: whenShape(when),
    by: trailAuthorShape(by),
    actor: trailActorShape(actor),
    carriedOutBy:
      carriedOutBy === null
        ? null
        : {
            sequence: carriedOutBy.sequence,
            by: trailAuthorShape(carriedOutBy.by),
            actor: trailActorShape(carriedOutBy.actor),
            when: whenShape(carriedOutBy.when),
          },
    lastWriters:
      lastWriters?.map(({ manager = null, operation = null, time = null }) => ({ manager, operation, time })) ?? null,
  };
}
