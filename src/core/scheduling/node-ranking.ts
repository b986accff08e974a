import type { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import type { Assumption } from '../placement/plugin.js';
import { NOT_KNOWN, type Placement } from '../placement/placement.js';
import { stepRankNodes, uncertainScores, type Ranking } from '../placement/rank-nodes.js';
import type { ScoreArithmetic } from '../placement/score-plugin.js';
import { feasibleNodes, type SchedulingProfile } from './schedule-pod.js';

/** The contribution of one plugin to the total of one node. */
export interface RankedScore {
  readonly plugin: string;
  readonly weight: number;
  /** Null for a plugin that skips the pod, or whose scores are unknown. */
  readonly raw: number | null;
  /** 0 to 100. */
  readonly normalized: number | null;
  /** `normalized` times `weight`: the contribution to the total. */
  readonly weighted: number | null;
  readonly arithmetic: ScoreArithmetic | null;
}

/** A node with its rank. */
export interface RankedNode {
  readonly node: number;
  /** 1 for the best; nodes with the same total share a rank. */
  readonly rank: number;
  readonly total: number;
  readonly scores: readonly RankedScore[];
}

/** The normalized scores of two nodes by one plugin. */
export interface ScoreDifference {
  readonly plugin: string;
  readonly ahead: number;
  readonly behind: number;
  readonly difference: number;
}

/** Why one node ranks above another. */
export interface NodeDifference {
  readonly ahead: number;
  readonly behind: number;
  /** The difference of the totals; 0 if the nodes are tied. */
  readonly margin: number;
  /** The plugins whose scores differ, in descending order of the difference. */
  readonly scores: readonly ScoreDifference[];
}

/**
 * The feasible nodes for a pod, in descending order of totals. Nodes with the same total are in order of name, except that a
 * node drawn by the seed from the best ones comes first, as the scheduler draws one at random.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/schedule_one.go, `prioritizeNodes` and `selectHost`.
 */
export class NodeRanking {
  /** Positions in `ranking.nodes`, that of the best node first. */
  private readonly order: Int32Array;
  /** The number of nodes with the greatest total, among which the scheduler chooses at random. */
  readonly tied: number;
  /** The names of plugins with unknown results that could change the order. */
  readonly uncertain: readonly string[];

  constructor(
    private readonly ranking: Ranking,
    /** See `Placement.uncertain`. */
    unknownFilters: readonly string[] = [],
    seed?: number,
  ) {
    const { totals } = ranking;
    this.order = descending(totals);
    const best = totals[this.order[0] ?? -1];
    let tied = 0;
    while (tied < totals.length && totals[this.order[tied]!] === best) tied++;
    this.tied = tied;
    if (seed !== undefined && tied > 1) {
      const drawn = drawnFrom(tied, seed);
      const chosen = this.order[drawn]!;
      this.order.copyWithin(1, 0, drawn);
      this.order[0] = chosen;
    }
    this.uncertain = [...new Set([...unknownFilters, ...uncertainScores(ranking)])];
  }

  /** The number of ranked nodes. */
  get count(): number {
    return this.order.length;
  }

  /** Upstream's error that ends the scheduling cycle, if a score plugin failed. */
  get failure(): { readonly plugin: string; readonly message: string } | undefined {
    for (const { name, error } of this.ranking.plugins)
      if (error !== undefined) return { plugin: name, message: error };
    return undefined;
  }

  get assumptions(): readonly Assumption[] {
    return this.ranking.plugins.flatMap(({ assumes }) => assumes);
  }

  /** The nodes from place `from` up to but not including `to`, counted from 0. */
  nodes(from = 0, to = this.count): readonly RankedNode[] {
    return Array.from(this.order.subarray(from, to), (position) => this.at(position));
  }

  /** The same as node indexes. */
  indexes(from = 0, to = this.count): readonly number[] {
    return Array.from(this.order.subarray(from, to), (position) => this.ranking.nodes[position]!);
  }

  /** One node by its index in the state; undefined if it is not ranked. */
  node(index: number): RankedNode | undefined {
    const position = this.ranking.nodes.indexOf(index);
    return position < 0 ? undefined : this.at(position);
  }

  /** The first node compared with another one by index, by default with the second; undefined if there is none. */
  difference(behind?: number): NodeDifference | undefined {
    const first = this.order[0];
    const other = behind === undefined ? this.order[1] : this.ranking.nodes.indexOf(behind);
    if (first === undefined || other === undefined || other < 0) return undefined;
    const { totals, nodes, plugins } = this.ranking;
    const scores = plugins.flatMap(({ name, weight, scores: given }): ScoreDifference[] => {
      if (given === undefined) return [];
      const [ahead, less] = [given.normalized[first]! * weight, given.normalized[other]! * weight];
      return ahead === less ? [] : [{ plugin: name, ahead, behind: less, difference: ahead - less }];
    });
    scores.sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
    return { ahead: nodes[first]!, behind: nodes[other]!, margin: totals[first]! - totals[other]!, scores };
  }

  /** The number of nodes with a greater total, which come first in the order. */
  private better(total: number): number {
    const { order } = this;
    const { totals } = this.ranking;
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (totals[order[middle]!]! > total) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private at(position: number): RankedNode {
    const { totals, nodes, plugins } = this.ranking;
    const total = totals[position]!;
    const scores = plugins.map(({ name, weight, scores: given }): RankedScore => {
      if (given === undefined)
        return { plugin: name, weight, raw: null, normalized: null, weighted: null, arithmetic: null };
      const normalized = given.normalized[position]!;
      return {
        plugin: name,
        weight,
        raw: given.raw[position]!,
        normalized,
        weighted: normalized * weight,
        arithmetic: given.arithmetic(position),
      };
    });
    return { node: nodes[position]!, rank: this.better(total) + 1, total, scores };
  }
}

/**
 * Ranks the feasible nodes of a placement. If there are none but some are unknown, ranks the nodes that no known filter
 * refuses.
 *
 * @param placement of the same pod, by the filters of the profile
 * @throws QuantityError for a pod with an invalid quantity in its requests
 */
export function rankPlacement(
  placement: Placement,
  profile: SchedulingProfile,
  options: { readonly seed?: number } = {},
): NodeRanking {
  return finish(stepRankPlacement(placement, profile, options));
}

/** As `rankPlacement`, with a pause after each score. */
export function* stepRankPlacement(
  placement: Placement,
  { scores, args, gates }: SchedulingProfile,
  { seed }: { readonly seed?: number } = {},
): Generator<undefined, NodeRanking> {
  const { counts, state, input } = placement;
  const nodes = counts.feasible > 0 ? feasibleNodes(placement) : notRefused(state, placement);
  const ranking = yield* stepRankNodes(state, { pod: input.pod, nodes, gates, scores, args });
  return new NodeRanking(ranking, placement.uncertain, seed);
}

function notRefused({ nodes }: ClusterState, { verdicts, counts }: Placement): Int32Array {
  const found = new Int32Array(counts.unknown);
  let count = 0;
  for (let node = 0; node < nodes.count; node++) if (verdicts[node] === NOT_KNOWN) found[count++] = node;
  return found;
}

/** If the totals span a wider range than this, they are sorted by comparison instead of by counting. */
const MAX_COUNTED = 1 << 20;

/** Positions in descending order of totals; equal totals keep their order. Totals are integers. */
function descending(totals: Float64Array): Int32Array {
  let least = Number.POSITIVE_INFINITY;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const total of totals) {
    if (total < least) least = total;
    if (total > greatest) greatest = total;
  }
  const order = new Int32Array(totals.length);
  for (let position = 0; position < order.length; position++) order[position] = position;
  if (totals.length < 2) return order;
  if (greatest - least >= MAX_COUNTED) return order.sort((a, b) => totals[b]! - totals[a]! || a - b);
  const places = new Int32Array(greatest - least + 2);
  for (const total of totals) places[greatest - total + 1]!++;
  for (let place = 1; place < places.length; place++) places[place]! += places[place - 1]!;
  for (let position = 0; position < totals.length; position++) {
    order[places[greatest - totals[position]!]!++] = position;
  }
  return order;
}

/**
 * A number from 0 to `count - 1` that depends only on the seed: one step of SplitMix32, so that adjacent seeds do not draw
 * alike.
 */
function drawnFrom(count: number, seed: number): number {
  let mixed = (seed + 0x9e3779b9) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return Math.floor((((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32) * count);
}
