import { deed, standing, nodeHistory } from '../../contract/taint-trail/node-history.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import type { DeedView, NodeHistoryView, StandingView } from '../../app/taint-trail/read-node-history.js';
import { taintView } from '../../app/taints/taint-view.js';
import type { Plain } from './plain.js';
import { taintDifferenceView } from '../../app/taints/taint-difference-view.js';
import { trailActorShape, trailAuthorShape, whenShape } from './trail-record-shape.js';

export const DeedShape = responseClass(deed);
export type DeedShape = Response<typeof deed>;

export const StandingShape = responseClass(standing);
export type StandingShape = Response<typeof standing>;

export const NodeHistoryShape = responseClass(nodeHistory);
export type NodeHistoryShape = Response<typeof nodeHistory>;

export function nodeHistoryShape(history: NodeHistoryView): Plain<NodeHistoryShape> {
  const { taints, cordons, unapplied, ...rest } = history;
  return {
    ...rest,
    taints: taints.map(standingShape),
    cordons: cordons.map(standingShape),
    unapplied: unapplied.map(({ deed, difference, ...one }) => ({
      ...one,
      deed: deedShape(deed),
      difference: taintDifferenceView(difference),
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
