import type { smallestFix } from '../../contract/placements/placement.js';
import type { Response } from '../../contract/schema.js';
import type { EvaluatedPlacement } from './evaluated-placement.js';
import { namesOf } from './node-names.js';
import { fixResponse } from './node-response.js';
import type { ResponseBudget } from './response-budget.js';

export type SmallestFixResponse = Response<typeof smallestFix>;

/**
 * The smallest changes over all nodes; null as in `EvaluatedPlacement.smallestFixes`.
 * @throws {ServiceError} `budget-exceeded`
 */
export function smallestFixesResponse(
  evaluated: EvaluatedPlacement,
  budget: ResponseBudget,
): readonly SmallestFixResponse[] | null {
  const fixes = evaluated.smallestFixes();
  if (fixes === undefined) return null;
  return fixes.map(({ object, changes, nodes }) => {
    budget.addNodes(nodes.length);
    const response = { object, changes: changes.map(fixResponse), count: nodes.length };
    budget.addFixes({ pod: { changes: response.changes, remaining: [] }, node: null });
    return { ...response, nodes: namesOf(evaluated.placement.state, nodes) };
  });
}
