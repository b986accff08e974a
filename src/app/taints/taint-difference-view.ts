import type { TaintDifference } from '../../core/audit/taint-difference.js';
import type { LabelDifference } from '../../core/taint-change/label-difference.js';
import type { labelDifference, taintDifference } from '../../contract/common/taint-difference.js';
import type { Response } from '../../contract/schema.js';
import { taintView } from './taint-view.js';

export function taintDifferenceView(difference: TaintDifference): Response<typeof taintDifference> {
  const { added, removed, changed, cordon } = difference;
  return {
    added: added.map(taintView),
    removed: removed.map(taintView),
    changed: changed.map(({ before, after }) => ({ before: taintView(before), after: taintView(after) })),
    cordon: cordon ?? null,
  };
}

export function labelDifferenceView({ set, removed }: LabelDifference): Response<typeof labelDifference> {
  return { set: set.map(({ key, before, after }) => ({ key, before: before ?? null, after })), removed };
}
