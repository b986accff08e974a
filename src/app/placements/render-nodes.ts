import type { RequestContext } from '../request-context.js';
import { TimeSlices } from '../states/time-slices.js';
import type { EvaluatedPlacement } from './evaluated-placement.js';
import { fixesAnswer, type FixesAnswer, type NodeAnswer } from './node-answer.js';
import { ResponseBudget } from './response-budget.js';

/** How much is told of each node. */
export type PlacementDetail = 'summary' | 'verdicts' | 'nodes';

/** A node of an answer; only the first three are told with `verdicts`. */
export interface ToldNode extends Pick<NodeAnswer, 'node' | 'verdict' | 'firstFail'> {
  readonly reasons: NodeAnswer['reasons'] | null;
  readonly untoleratedTaints: NodeAnswer['untoleratedTaints'] | null;
  readonly toleratedTaints: NodeAnswer['toleratedTaints'] | null;
  /** Null where the node is not refused, or no fixes are told. */
  readonly fixes: FixesAnswer | null;
}

/** How long the nodes of one page may take to tell of, in milliseconds. */
export const NODES_BUDGET = 30_000;
/**
 * Each fix is verified by evaluating its node again, at a cost that grows with the cluster: some 2 ms of 5,000 nodes.
 * By default they are given in clusters of at most so many nodes, as long as refused nodes of the page times nodes of
 * the cluster stay below the second number: 20 of 1,000, or 100 of 200.
 */
const CHEAP_FIXES = { nodes: 1000, product: 20_000 } as const;

export interface NodesTold {
  readonly nodes: readonly ToldNode[];
  /** Whether fixes were left out only because nobody asked for them by name. */
  readonly fixesOmitted: boolean;
}

/**
 * Words and facts for the nodes of one page, made in slices of time.
 * @param fixes absent: as long as they are cheap
 * @throws {ServiceError} `cancelled`, `budget-exceeded`
 */
export async function renderNodes(
  evaluated: EvaluatedPlacement,
  nodes: readonly number[],
  detail: PlacementDetail,
  fixes: boolean | undefined,
  edge: Pick<RequestContext, 'signal'>,
): Promise<NodesTold> {
  const { placement } = evaluated;
  if (detail === 'summary') return { nodes: [], fixesOmitted: false };
  const { signal } = edge;
  const reasons = ResponseBudget.of(edge);
  reasons.addNodes(nodes.length);
  if (detail === 'verdicts') {
    const told = nodes.map((node): ToldNode => ({ ...verdictOf(evaluated, node), ...UNTOLD }));
    return { nodes: told, fixesOmitted: false };
  }
  const refused = nodes.filter((node) => placement.verdict(node) === 'infeasible').length;
  const withFixes = fixes ?? areFixesCheap(refused, placement.state.nodes.count);
  const slices = new TimeSlices({ budgetMs: NODES_BUDGET, signal });
  const told: ToldNode[] = [];
  for (const [index, node] of nodes.entries()) {
    // Fixes are evaluations; without them a node takes less than it takes to look at the clock often.
    if ((withFixes || index % 16 === 0) && slices.due()) await slices.pause();
    const answer = evaluated.node(node);
    reasons.add(answer);
    const changes = withFixes ? fixesOf(evaluated, node) : null;
    reasons.addFixes(changes);
    told.push({ ...answer, fixes: changes });
  }
  return { nodes: told, fixesOmitted: !withFixes && fixes === undefined && refused > 0 };
}

const areFixesCheap = (refused: number, nodes: number): boolean =>
  nodes <= CHEAP_FIXES.nodes && refused * nodes <= CHEAP_FIXES.product;

/** What would admit the pod to a node; null where it is not refused. */
export function fixesOf(evaluated: EvaluatedPlacement, node: number): FixesAnswer | null {
  const fixes = evaluated.fixesOf(node);
  return fixes === undefined ? null : fixesAnswer(fixes, evaluated.subject);
}

const UNTOLD = { reasons: null, untoleratedTaints: null, toleratedTaints: null, fixes: null } as const;

/** What is known of a node without making any words. */
export function verdictOf(
  { placement }: EvaluatedPlacement,
  node: number,
): Pick<NodeAnswer, 'node' | 'verdict' | 'firstFail'> {
  const first = placement.podReasons.find(({ status }) => status !== 'Unknown');
  const excluded = placement.isExcluded(node) ? placement.preFilterNodes?.plugins[0] : undefined;
  return {
    node: placement.state.nodes.name(node),
    verdict: placement.verdict(node),
    firstFail: first?.plugin ?? excluded ?? placement.firstRefusal(node)?.name ?? null,
  };
}
