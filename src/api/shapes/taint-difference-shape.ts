import { taintDifference, labelDifference } from '../../contract/common/taint-difference.js';
import { responseClass } from '../contract/object-classes.js';
import type { Response } from '../../contract/schema.js';
import { taintView } from '../../app/taints/taint-view.js';
import type { TaintDifference } from '../../core/audit/taint-difference.js';
import type { LabelDifference } from '../../core/taint-change/label-difference.js';
import type { Plain } from './plain.js';

export const TaintDifferenceShape = responseClass(taintDifference);
export type TaintDifferenceShape = Response<typeof taintDifference>;

export const LabelDifferenceShape = responseClass(labelDifference);
export type LabelDifferenceShape = Response<typeof labelDifference>;

export function taintDifferenceShape(difference: TaintDifference): Plain<TaintDifferenceShape> {
  const { added, removed, changed, cordon } = difference;
  return {
    added: added.map(taintView),
    removed: removed.map(taintView),
    changed: changed.map(({ before, after }) => ({ before: taintView(before), after: taintView(after) })),
    cordon: cordon ?? null,
  };
}

export function labelDifferenceShape({ set, removed }: LabelDifference): Plain<LabelDifferenceShape> {
  return { set: set.map(({ key, before, after }) => ({ key, before: before ?? null, after })), removed };
}
