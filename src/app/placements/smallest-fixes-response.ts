import { NOTHING } from '../../core/collections/nothing.js';
import type { smallestFix } from '../../contract/placements/placement.js';
import type { Response } from '../../contract/schema.js';
import type { JsonValue } from '../../core/json/json-value.js';
import { patchBetween, type PatchOperation } from '../../core/json/patch-between.js';
import type { Pod } from '../../core/kubernetes/objects/pod.js';
import { type Asker, TimeSlices } from '../states/time-slices.js';
import type { EvaluatedPlacement } from './evaluated-placement.js';
import { namesOf } from './node-names.js';
import { fixResponse } from './node-response.js';
import type { PlacedSubject } from './placed-subject.js';
import { NODES_BUDGET } from './render-nodes.js';
import { ResponseBudget } from './response-budget.js';

export type SmallestFixResponse = Response<typeof smallestFix>;

/**
 * The smallest changes over all nodes; null as in `EvaluatedPlacement.stepSmallestFixes`.
 * @throws {ServiceError} `cancelled`, `budget-exceeded`
 */
export async function smallestFixesResponse(
  evaluated: EvaluatedPlacement,
  context: Asker,
): Promise<readonly SmallestFixResponse[] | null> {
  const slices = new TimeSlices({ budgetMs: NODES_BUDGET, asker: context });
  const fixes = await slices.render(evaluated.stepSmallestFixes());
  const budget = ResponseBudget.of(context);
  if (fixes === undefined) return null;
  return slices.map(fixes, (fix) => {
    const { object, changes, nodes } = fix;
    budget.addNodes(nodes.length);
    const response = { object, changes: changes.map(fixResponse), count: nodes.length };
    budget.addFixes({ pod: { changes: response.changes, remaining: [] }, node: null, claim: null });
    const patch = fix.object === 'Pod' ? patchOf(evaluated.subject, fix.edit) : null;
    return { ...NOTHING, ...response, nodes: namesOf(evaluated.placement.state, nodes), patch };
  });
}

/** The members of a request that hold a manifest; pointers of a patch start in the manifest. */
const MANIFEST_MEMBER = /^\/(pod|workload)(?=\/|$)/;

/** What a change does to the manifest as it was sent, or to the stored object. */
function patchOf({ readmit, pointer }: PlacedSubject, edit: (pod: Pod) => Pod): SmallestFixResponse['patch'] {
  let operations: readonly PatchOperation[] = [];
  readmit((given) => {
    const after = edit(given);
    operations = patchBetween(given, after, () => '');
    return after;
  });
  const prefix = pointer.replace(MANIFEST_MEMBER, '');
  return operations.map((operation) => ({
    op: operation.op,
    path: prefix + operation.path,
    value: (operation.op === 'remove' ? null : operation.value) as JsonValue,
  }));
}
