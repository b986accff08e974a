import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { PluginOutcome } from '../../../src/core/placement/placement.js';

const CODES = ['Success', 'Unschedulable', 'UnschedulableAndUnresolvable', 'Error'];

/** What one filter says of a node, as the vectors have it. */
export function filterAnswer({ preFilter, filter, statuses }: PluginOutcome, node: number): JsonObject {
  if (preFilter.outcome === 'Skip') return { code: 'Skip' };
  if (filter === undefined || statuses === undefined) return { code: 'NotRun' };
  const code = CODES[statuses[node]!]!;
  const reasons = [...new Set(filter.explain(node).map(({ message }) => message))].sort();
  return { code, ...(reasons.length === 0 ? {} : { reasons }) };
}

/** What PreFilter says, as the vectors have it. */
export function preFilterAnswer({ preFilter }: PluginOutcome): JsonObject {
  switch (preFilter.outcome) {
    case 'Skip':
      return { code: 'Skip' };
    case 'Rejected':
      return {
        code: preFilter.reason.status,
        reasons: [preFilter.reason.message],
        ...(preFilter.reason.status === 'Error' ? { error: preFilter.reason.message } : {}),
      };
    case 'Filter':
      return {
        code: 'Success',
        ...(preFilter.nodeNames === undefined ? {} : { nodeNames: [...preFilter.nodeNames].sort() }),
      };
  }
}
