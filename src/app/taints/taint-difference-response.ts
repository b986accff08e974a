import type { TaintDifference } from '../../core/audit/taint-difference.js';
import type { LabelDifference } from '../../core/taint-change/label-difference.js';
import type { labelDifference, taintDifference } from '../../contract/common/taint-difference.js';
import type { Response } from '../../contract/schema.js';
import { taintResponse } from './taint-response.js';

export function taintDifferenceResponse(difference: TaintDifference): Response<typeof taintDifference> {
  const { added, removed, changed, cordon } = difference;
  return {
    added: added.map(taintResponse),
    removed: removed.map(taintResponse),
    changed: changed.map(({ before, after }) => ({ before: taintResponse(before), after: taintResponse(after) })),
    cordon: cordon ?? null,
  };
}

export function labelDifferenceResponse({ set, removed }: LabelDifference): Response<typeof labelDifference> {
  return { set: set.map(({ key, before, after }) => ({ key, before: before ?? null, after })), removed };
}
