import type { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { TolerationGates } from '../kubernetes/toleration.js';
import type { PluginArguments } from './plugin-arguments.js';
import type { Assumption } from './plugin.js';
import type { NodeScores, ScorePlugin } from './score-plugin.js';

/** The scores that a profile asks for, in calling order, and how much each weighs. */
export interface WeightedScore {
  readonly plugin: ScorePlugin;
  readonly weight: number;
}

export interface RankingQuestion {
  /** As the scheduler would see it, not bound. */
  readonly pod: Pod;
  /** The nodes that passed every filter, by index, ascending. */
  readonly nodes: Int32Array;
  readonly gates: TolerationGates;
  readonly scores: readonly WeightedScore[];
  readonly args: PluginArguments;
}

/** One plugin's part in a ranking; without scores where it has nothing to do with the pod. */
export interface PluginScores {
  readonly name: string;
  readonly weight: number;
  readonly scores?: NodeScores;
  /** Upstream's error, with which the pod's turn ends: it is tried again later. */
  readonly error?: string;
  /** Why its scores are not known: it is an out-of-tree plugin's. */
  readonly unknown?: string;
  readonly assumes: readonly Assumption[];
}

/** Nodes with their scores, by position in `nodes`. */
export interface Ranking {
  readonly nodes: Int32Array;
  readonly plugins: readonly PluginScores[];
  /** The sum of all normalized scores times their weights. */
  readonly totals: Float64Array;
}

/**
 * Scores nodes as the scheduler does before it chooses one of those with the greatest total.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/runtime/framework.go, `RunScorePlugins`.
 *
 * @throws QuantityError for a request that is no quantity
 */
export function rankNodes(state: ClusterState, question: RankingQuestion): Ranking {
  return finish(stepRankNodes(state, question));
}

/** As `rankNodes`, with a pause after each score. */
export function* stepRankNodes(
  state: ClusterState,
  { pod, nodes, gates, scores, args }: RankingQuestion,
): Generator<undefined, Ranking> {
  const totals = new Float64Array(nodes.length);
  const scoredBy = ({ plugin, weight }: WeightedScore): PluginScores => {
    const { name } = plugin;
    const scored = plugin.score({ state, pod, gates, nodes, args });
    if (scored.outcome === 'Error') return { name, weight, error: scored.message, assumes: [] };
    if (scored.outcome === 'Unknown') return { name, weight, unknown: scored.message, assumes: [] };
    const { assumes = [] } = scored;
    if (scored.outcome === 'Skip') return { name, weight, assumes };
    const { normalized } = scored;
    for (let i = 0; i < totals.length; i++) totals[i]! += normalized[i]! * weight;
    return { name, weight, scores: scored, assumes };
  };
  const plugins: PluginScores[] = [];
  for (const score of scores) {
    plugins.push(scoredBy(score));
    yield;
  }
  return { nodes, plugins, totals };
}

/** The scores of a ranking that are not known: its totals leave them out. */
export const uncertainScores = ({ plugins }: Pick<Ranking, 'plugins'>): readonly string[] =>
  plugins.flatMap(({ name, unknown }) => (unknown === undefined ? [] : [name]));

/** Positions with the greatest total, in the order of nodes: among them the scheduler chooses at random. */
export function bestOf({ totals }: Pick<Ranking, 'totals'>): readonly number[] {
  let best: number[] = [];
  let greatest = Number.NEGATIVE_INFINITY;
  totals.forEach((total, position) => {
    if (total > greatest) {
      greatest = total;
      best = [position];
    } else if (total === greatest) {
      best.push(position);
    }
  });
  return best;
}
