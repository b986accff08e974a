import { NOTHING } from '../../core/collections/nothing.js';
import type { DETAIL } from '../../contract/placements/placement-request.js';
import type { nodePlacement } from '../../contract/placements/placement.js';
import type { Response } from '../../contract/schema.js';
import { type Asker, TimeSlices } from '../states/time-slices.js';
import type { EvaluatedPlacement } from './evaluated-placement.js';
import { fixesResponse } from './node-response.js';
import { ResponseBudget } from './response-budget.js';

type NodePlacement = Response<typeof nodePlacement>;

/** The level of detail for each group or node. */
export type PlacementDetail = (typeof DETAIL)['values'][number];

/** Maximum time for rendering the nodes of a page, in milliseconds. */
export const NODES_BUDGET = 30_000;
/**
 * Each fix is verified by evaluating its node again, at a cost that grows with the cluster: about 2 ms with 5,000
 * nodes. By default, fixes are evaluated in clusters of at most `nodes` nodes, while the number of infeasible nodes on
 * the page times the nodes of the cluster is below `product`: 20 of 1,000, or 100 of 200.
 */
const CHEAP_FIXES = { nodes: 1000, product: 20_000 } as const;

interface RenderedNodes {
  readonly withFixes: boolean;
  readonly nodes: readonly NodePlacement[];
  /** Whether fixes were omitted only because the request did not ask for them. */
  readonly fixesOmitted: boolean;
}

/**
 * Renders the nodes of a page with their reasons, in time slices.
 * @param fixes absent: only if they are cheap
 * @throws {ServiceError} `cancelled`, `budget-exceeded`
 */
export async function renderNodes(
  evaluated: EvaluatedPlacement,
  nodes: readonly number[],
  detail: PlacementDetail,
  fixes: boolean | undefined,
  context: Asker,
): Promise<RenderedNodes> {
  const { placement } = evaluated;
  const budget = ResponseBudget.of(context);
  budget.addNodes(nodes.length);
  if (detail === 'verdicts') {
    const verdicts = nodes.map((node) => ({ ...NOTHING, ...verdictOf(evaluated, node), ...NO_REASONS }));
    return { withFixes: false, nodes: verdicts, fixesOmitted: false };
  }
  const refused = nodes.filter((node) => placement.verdict(node) === 'infeasible').length;
  const withFixes = fixes ?? areFixesCheap(refused, placement.state.nodes.count);
  const slices = new TimeSlices({ budgetMs: NODES_BUDGET, asker: context });
  const rendered = await slices.render(stepRenderNodes(evaluated, nodes, withFixes, budget));
  return { withFixes, nodes: rendered, fixesOmitted: !withFixes && fixes === undefined && refused > 0 };
}

function* stepRenderNodes(
  evaluated: EvaluatedPlacement,
  nodes: readonly number[],
  withFixes: boolean,
  budget: ResponseBudget,
): Generator<undefined, readonly NodePlacement[]> {
  const rendered: NodePlacement[] = [];
  for (const [index, node] of nodes.entries()) {
    // Fixes require evaluations; without them, a node takes less time than checking the clock.
    if (withFixes || index % 16 === 0) yield;
    const answer = evaluated.node(node);
    budget.add(answer);
    const changes = withFixes ? yield* stepFixesOf(evaluated, node) : null;
    budget.addFixes(changes);
    // Copying the members one by one is several times as fast as spreading them.
    const { verdict, firstFail, reasons, untoleratedTaints, toleratedTaints } = answer;
    const devices = evaluated.devicesOn(node);
    rendered.push({
      node: answer.node,
      verdict,
      firstFail,
      reasons,
      untoleratedTaints,
      toleratedTaints,
      devices,
      fixes: changes,
    });
  }
  return rendered;
}

const areFixesCheap = (refused: number, nodes: number): boolean =>
  nodes <= CHEAP_FIXES.nodes && refused * nodes <= CHEAP_FIXES.product;

/** The fixes of a node; null if it is not infeasible. */
export function* stepFixesOf(
  evaluated: EvaluatedPlacement,
  node: number,
): Generator<undefined, NodePlacement['fixes']> {
  const fixes = yield* evaluated.stepFixesOf(node);
  return fixes === undefined ? null : fixesResponse(fixes, evaluated.subject);
}

const NO_REASONS = {
  reasons: null,
  untoleratedTaints: null,
  toleratedTaints: null,
  devices: null,
  fixes: null,
} as const;

/** The verdict of a node without its explanation. */
function verdictOf(
  { placement }: EvaluatedPlacement,
  node: number,
): Pick<NodePlacement, 'node' | 'verdict' | 'firstFail'> {
  const first = placement.podReasons.find(({ status }) => status !== 'Unknown');
  const excluded = placement.isExcluded(node) ? placement.preFilterNodes?.plugins[0] : undefined;
  return {
    node: placement.state.nodes.name(node),
    verdict: placement.verdict(node),
    firstFail: first?.plugin ?? excluded ?? placement.firstRefusal(node)?.name ?? null,
  };
}
