import type { rankDifference, rankedNode, ranking as rankingType } from '../../contract/placements/ranking.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { NodeDifference, RankedNode } from '../../core/scheduling/node-ranking.js';
import { runSteps } from '../states/run-steps.js';
import type { TimeSlices } from '../states/time-slices.js';
import type { EvaluatedPlacement } from './evaluated-placement.js';

/** Selects the ranks to list. */
export interface RankingRequest {
  /** Number of top ranks to skip. */
  readonly from?: number;
  readonly limit?: number;
  /** Seed for choosing among the nodes with the highest total. */
  readonly seed?: number;
}

/** @throws {QuantityError} for a request that is not a quantity @throws {ServiceError} as `TimeSlices.pause` */
export async function rankingResponse(
  evaluated: EvaluatedPlacement,
  { from = 0, limit = 10, seed }: RankingRequest,
  slices: TimeSlices,
): Promise<Response<typeof rankingType>> {
  const { state } = evaluated.placement;
  const ranking = await runSteps(evaluated.stepRanking(seed), slices);
  const { count, tied, uncertain, failure = null, assumptions } = ranking;
  const difference = ranking.difference();
  const nodes = ranking.nodes(from, from + limit);
  return {
    nodeCount: count,
    tied,
    nodes: await slices.map(nodes, (node) => rankedNodeResponse(state, node)),
    remainingItemCount: Math.max(0, count - from - nodes.length),
    difference: difference === undefined ? null : rankDifferenceResponse(state, difference),
    uncertain,
    failure,
    assumptions: assumptions.map(({ message }) => message),
  };
}

export function rankedNodeResponse(
  { nodes }: ClusterState,
  { node, rank, total, scores }: RankedNode,
): Response<typeof rankedNode> {
  return {
    node: nodes.name(node),
    rank,
    total,
    scores: scores.map(({ arithmetic, ...score }) => ({
      ...score,
      formula: arithmetic?.formula ?? null,
      terms: arithmetic?.terms ?? [],
    })),
  };
}

export function rankDifferenceResponse(
  { nodes }: ClusterState,
  { ahead, behind, margin, scores }: NodeDifference,
): Response<typeof rankDifference> {
  return {
    ahead: nodes.name(ahead),
    behind: nodes.name(behind),
    margin,
    decidedBy: margin === 0 ? null : (scores.find(({ difference }) => difference > 0)?.plugin ?? null),
    scores,
  };
}
