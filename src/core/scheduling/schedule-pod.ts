import type { ClusterState } from '../cluster/cluster-state.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import type { FilterPlugin } from '../placement/plugin.js';
import { FEASIBLE, type Placement } from '../placement/placement.js';
import type { PluginArguments } from '../placement/plugin-arguments.js';
import type { Reason } from '../placement/reason.js';
import { bestOf, rankNodes, uncertainScores, type Ranking, type WeightedScore } from '../placement/rank-nodes.js';

/** The filters and scores by which a scheduler decides. */
export interface SchedulingProfile {
  /** In calling order. */
  readonly filters: readonly FilterPlugin[];
  readonly scores: readonly WeightedScore[];
  readonly args: PluginArguments;
  readonly gates: TolerationGates;
}

/** The node that the scheduler chooses for a pod, or why it chooses none. */
export type Decision =
  | {
      readonly outcome: 'placed';
      readonly node: number;
      /** The number of nodes that passed every filter. */
      readonly feasible: number;
      /** The nodes with the greatest total, as ascending indexes; the scheduler chooses among them at random. */
      readonly best: readonly number[];
      /** The greatest total; absent if only one node is feasible, which is then not scored. */
      readonly total?: number;
      /** Plugins whose results are not known, so that another node may be chosen. */
      readonly uncertain?: readonly string[];
    }
  /** No node is known to be feasible; some may be unknown. */
  | { readonly outcome: 'unplaced'; readonly placement: Placement }
  /** A score plugin failed, which ends the scheduling cycle. */
  | { readonly outcome: 'error'; readonly plugin: string; readonly message: string };

/**
 * Decides about one pod like kube-scheduler if it checks every node: by filters, then by the greatest total of the scores.
 * Among equal nodes it takes the first by name, where upstream chooses at random.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/schedule_one.go, `schedulePod`.
 *
 * @param unknowns as `EvaluationQuestion.unknowns`
 * @throws QuantityError for a pod with an invalid quantity in its requests
 */
export function schedulePod(
  state: ClusterState,
  pod: Pod,
  { filters, scores, args, gates }: SchedulingProfile,
  unknowns: readonly Reason[] = [],
): Decision {
  const placement = evaluatePlacement(state, { pod, gates, filters, unknowns });
  const nodes = feasibleNodes(placement);
  const [only] = nodes;
  if (only === undefined) return { outcome: 'unplaced', placement };
  const unsure = placement.uncertain;
  if (nodes.length === 1) return { outcome: 'placed', node: only, feasible: 1, best: [only], ...doubts(unsure) };
  const ranking = rankNodes(state, { pod, nodes, gates, scores, args });
  const failed = ranking.plugins.find(({ error }) => error !== undefined);
  if (failed?.error !== undefined) return { outcome: 'error', plugin: failed.name, message: failed.error };
  return chosen(ranking, unsure);
}

/** The nodes that passed every filter, by index. */
export function feasibleNodes({ verdicts, counts }: Placement): Int32Array {
  const nodes = new Int32Array(counts.feasible);
  let found = 0;
  for (let node = 0; node < verdicts.length; node++) if (verdicts[node] === FEASIBLE) nodes[found++] = node;
  return nodes;
}

const doubts = (uncertain: readonly string[]): { readonly uncertain?: readonly string[] } =>
  uncertain.length === 0 ? {} : { uncertain };

function chosen(ranking: Ranking, unsure: readonly string[]): Decision {
  const positions = bestOf(ranking);
  const best = positions.map((position) => ranking.nodes[position]!);
  return {
    outcome: 'placed',
    node: best[0]!,
    feasible: ranking.nodes.length,
    best,
    total: ranking.totals[positions[0]!]!,
    ...doubts([...new Set([...unsure, ...uncertainScores(ranking)])]),
  };
}
