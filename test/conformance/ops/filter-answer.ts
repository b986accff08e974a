import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { PluginOutcome } from '../../../src/core/placement/placement.js';
import type { Prepared } from '../../../src/core/placement/plugin.js';

/** By status of a column. */
export const CODES = ['Success', 'Unschedulable', 'UnschedulableAndUnresolvable', 'Error'];

/** The result of one filter for a node, in the form of the vectors. */
export function filterAnswer({ preFilter, filter, statuses }: PluginOutcome, node: number): JsonObject {
  if (preFilter.outcome === 'Skip') return { code: 'Skip' };
  if (filter === undefined || statuses === undefined) return { code: 'NotRun' };
  const code = CODES[statuses[node]!]!;
  const reasons = [...new Set(filter.explain(node).map(({ message }) => message))].sort();
  return { code, ...(reasons.length === 0 ? {} : { reasons }) };
}

/** The result of PreFilter: its code, and why it refuses the pod. */
export function preFilterCode(preFilter: Prepared): JsonObject {
  switch (preFilter.outcome) {
    case 'Skip':
      return { code: 'Skip' };
    case 'Rejected':
      return { code: preFilter.reason.status, reasons: [preFilter.reason.message] };
    case 'Filter':
      return { code: 'Success' };
  }
}

/** The same with the remaining nodes, and with errors thrown. */
export function preFilterAnswer({ preFilter }: PluginOutcome): JsonObject {
  const answer = preFilterCode(preFilter);
  if (preFilter.outcome === 'Rejected' && preFilter.reason.status === 'Error') {
    return { ...answer, error: preFilter.reason.message };
  }
  if (preFilter.outcome !== 'Filter' || preFilter.nodeNames === undefined) return answer;
  return { ...answer, nodeNames: [...preFilter.nodeNames].sort() };
}
