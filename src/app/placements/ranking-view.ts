import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { NodeDifference, NodeRanking, RankedNode } from '../../core/scheduling/node-ranking.js';

/** Which places of a ranking are told. */
export interface RankingRequest {
  /** Places to leave out at the top. */
  readonly from: number;
  readonly limit: number;
  /** Draws among the nodes with the greatest total. */
  readonly seed?: number;
}

export interface RankedScoreView {
  readonly plugin: string;
  readonly weight: number;
  readonly raw: number | null;
  readonly normalized: number | null;
  readonly weighted: number | null;
  readonly formula: string | null;
  readonly terms: readonly {
    readonly of: string;
    readonly amounts: Readonly<Record<string, string>>;
    readonly score: number;
  }[];
}

export interface RankedNodeView {
  readonly node: string;
  readonly rank: number;
  readonly total: number;
  readonly scores: readonly RankedScoreView[];
}

export interface RankDifferenceView {
  readonly ahead: string;
  readonly behind: string;
  readonly margin: number;
  /** The plugin that gives the most of it; null where they are tied. */
  readonly decidedBy: string | null;
  readonly scores: NodeDifference['scores'];
}

export interface RankingView {
  readonly nodeCount: number;
  /** How many have the greatest total: the scheduler draws one of them. */
  readonly tied: number;
  readonly nodes: readonly RankedNodeView[];
  readonly remainingItemCount: number;
  readonly difference: RankDifferenceView | null;
  readonly uncertain: readonly string[];
  readonly failure: { readonly plugin: string; readonly message: string } | null;
  readonly assumptions: readonly string[];
}

export function rankingView(state: ClusterState, ranking: NodeRanking, { from, limit }: RankingRequest): RankingView {
  const { count, tied, uncertain, failure = null, assumptions } = ranking;
  const difference = ranking.difference();
  const nodes = ranking.nodes(from, from + limit);
  return {
    nodeCount: count,
    tied,
    nodes: nodes.map((node) => rankedNodeView(state, node)),
    remainingItemCount: Math.max(0, count - from - nodes.length),
    difference: difference === undefined ? null : rankDifferenceView(state, difference),
    uncertain,
    failure,
    assumptions: assumptions.map(({ message }) => message),
  };
}

export function rankedNodeView({ nodes }: ClusterState, { node, rank, total, scores }: RankedNode): RankedNodeView {
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

export function rankDifferenceView(
  { nodes }: ClusterState,
  { ahead, behind, margin, scores }: NodeDifference,
): RankDifferenceView {
  return {
    ahead: nodes.name(ahead),
    behind: nodes.name(behind),
    margin,
    decidedBy: margin === 0 ? null : (scores.find(({ difference }) => difference > 0)?.plugin ?? null),
    scores,
  };
}
