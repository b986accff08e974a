import { NOTHING } from '../../core/collections/nothing.js';
import type { placementGroup } from '../../contract/placements/placement.js';
import type { Response } from '../../contract/schema.js';
import type { GroupFixPlan } from '../../core/placement/fixes/fixes-for-group.js';
import type { ClaimFix, NodeFix, PodFix } from '../../core/placement/fixes/fix.js';
import type { PlacementGroup } from '../../core/placement/node-groups.js';
import type { RequestContext } from '../request-context.js';
import { TimeSlices } from '../states/time-slices.js';
import type { EvaluatedPlacement } from './evaluated-placement.js';
import { namesOf } from './node-names.js';
import { explanationResponse, fixPlanResponse, type Explained, type ReasonResponses } from './node-response.js';
import { NODES_BUDGET, type PlacementDetail } from './render-nodes.js';
import { ResponseBudget } from './response-budget.js';

export type PlacementGroupResponse = Response<typeof placementGroup>;

/**
 * Maximum product of infeasible groups on the page and nodes of the cluster for which fixes are evaluated by default.
 */
const CHEAP_FIXES = 50_000;

interface RenderedGroups {
  readonly withFixes: boolean;
  readonly groups: readonly PlacementGroupResponse[];
  /** Whether fixes were omitted only because the request did not ask for them. */
  readonly fixesOmitted: boolean;
}

/**
 * Renders the groups of a page with their reasons, in time slices.
 * @param fixes absent: only if they are cheap
 * @throws {ServiceError} `cancelled`, `budget-exceeded`
 */
export async function renderGroups(
  evaluated: EvaluatedPlacement,
  groups: readonly PlacementGroup[],
  detail: PlacementDetail,
  fixes: boolean | undefined,
  context: Pick<RequestContext, 'signal'>,
): Promise<RenderedGroups> {
  const refused = detail === 'nodes' ? groups.filter(({ verdict }) => verdict === 'infeasible').length : 0;
  const withFixes = fixes ?? refused * evaluated.placement.state.nodes.count <= CHEAP_FIXES;
  const slices = new TimeSlices({ budgetMs: NODES_BUDGET, asker: context });
  const budget = ResponseBudget.of(context);
  budget.addNodes(groups.reduce((sum, { nodes }) => sum + nodes.length, 0));
  const rendered = await slices.render(stepRenderGroups(evaluated, groups, { detail, withFixes, budget }));
  return { withFixes, groups: rendered, fixesOmitted: !withFixes && fixes === undefined && refused > 0 };
}

interface GroupsOptions {
  readonly detail: PlacementDetail;
  readonly withFixes: boolean;
  readonly budget: ResponseBudget;
}

function* stepRenderGroups(
  evaluated: EvaluatedPlacement,
  groups: readonly PlacementGroup[],
  { detail, withFixes, budget }: GroupsOptions,
): Generator<undefined, readonly PlacementGroupResponse[]> {
  const rendered: PlacementGroupResponse[] = [];
  const reasons: ReasonResponses = new Map();
  for (const group of groups) {
    yield;
    const one = groupResponse(evaluated, group, reasons);
    if (detail !== 'nodes') {
      rendered.push({ ...one, reasons: null, untoleratedTaints: null, toleratedTaints: null, columns: [] });
      continue;
    }
    budget.add(one);
    const changes = withFixes ? yield* stepGroupFixes(evaluated, group) : null;
    budget.addFixes(changes);
    rendered.push({ ...one, fixes: changes });
  }
  return rendered;
}

/** A group without its fixes. */
export function groupResponse(
  evaluated: Explained,
  { nodes, explanation, columns }: PlacementGroup,
  made?: ReasonResponses,
) {
  const { state } = evaluated.placement;
  const { verdict, firstFail, reasons, untoleratedTaints, toleratedTaints } = explanationResponse(
    evaluated,
    explanation,
    made,
  );
  return {
    verdict,
    firstFail,
    reasons,
    untoleratedTaints,
    toleratedTaints,
    count: nodes.length,
    fixes: null,
    nodes: namesOf(state, nodes),
    columns,
  } satisfies PlacementGroupResponse;
}

/** The fixes of a group; null if its nodes are not infeasible. */
export function* stepGroupFixes(
  evaluated: EvaluatedPlacement,
  group: PlacementGroup,
): Generator<undefined, PlacementGroupResponse['fixes']> {
  const fixes = yield* evaluated.stepFixesOfGroup(group);
  if (fixes === undefined) return null;
  const planned = (plan: GroupFixPlan<PodFix | NodeFix | ClaimFix> | null) =>
    plan === null ? null : { ...NOTHING, ...fixPlanResponse(plan, evaluated.subject), nodes: plan.nodes };
  return {
    evaluatedOn: evaluated.placement.state.nodes.name(fixes.evaluatedOn),
    pod: planned(fixes.pod),
    node: planned(fixes.node),
    claim: planned(fixes.claim),
    owned: fixes.owned,
  };
}
