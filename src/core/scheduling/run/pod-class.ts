import { BestNodes } from './best-nodes.js';
import type { NodeGroups } from './node-groups.js';
import type { PodKind, PodKinds } from './pod-kinds.js';
import type { AffinityCounts } from './affinity-counts.js';
import type { Move, NodeBoard } from './node-board.js';
import type { SpecBoard } from './spec-board.js';
import type { SpreadCounts } from './spread-counts.js';
import type { Weights } from './weights.js';
import { MAX_NODE_SCORE } from '../../placement/score-plugin.js';

/** The decision for a class of pods: the best nodes, the number of feasible ones, and the greatest total. */
export interface Choice {
  readonly feasible: number;
  readonly tied: number;
  /** Absent if only one node is feasible. */
  readonly total?: number;
  /** The node at a rank, from 0 to `tied - 1`, among those with the greatest total. */
  readonly node: (rank: number) => number;
}

/** Working memory by node, or by position among the feasible nodes; shared by all classes in turn. */
export interface Columns {
  readonly nodes: Int32Array;
  readonly totals: Float64Array;
  readonly scratch: Float64Array;
}

export const columnsOf = (count: number): Columns => ({
  nodes: new Int32Array(count),
  totals: new Float64Array(count),
  scratch: new Float64Array(count),
});

/** What affects a pod besides its spec. */
export interface Neighbours {
  readonly affinity: AffinityCounts;
  readonly hard: SpreadCounts | undefined;
  /** Whether affinity between pods excludes nodes, besides scoring them. */
  readonly filtersAffinity: boolean;
  readonly soft: SpreadCounts | undefined;
  /** Groups of nodes that are equal for `soft`. */
  readonly groups: NodeGroups | undefined;
}

/** If more than one in this many nodes has counted pods, all nodes are scored one by one. */
const MUCH_OCCUPIED = 4;

/**
 * Pods with the same spec, namespace and labels. Only the spec matters as long as no pod on a node affects them through
 * affinity or topology spread.
 */
export class PodClass {
  private readonly parts: readonly Part[];
  /** Whether only the spec matters, because nothing counted so far can exclude or score nodes. */
  private alone: boolean;

  constructor(
    private readonly spec: SpecBoard,
    private readonly neighbours: Neighbours,
    kinds: PodKinds,
    own: PodKind,
    board: NodeBoard,
    private readonly weights: Weights,
    private readonly columns: Columns,
  ) {
    const { affinity, hard, soft } = neighbours;
    const { namespace, hasTerms } = own;
    this.parts = [
      partOf(affinity, hasTerms ? kinds.all : kinds.withTerms, hasTerms ? board.moves : board.movesWithTerms),
      ...[hard, soft]
        .filter((spread) => spread !== undefined)
        .map((spread) => partOf(spread, kinds.inNamespace(namespace), board.movesIn(namespace))),
    ];
    this.alone = hard === undefined && soft === undefined && !this.hasAffinity;
  }

  /** Set if a result depends on something unknown: then `schedulePod` must decide. */
  get isUnclear(): boolean {
    return this.neighbours.affinity.isUnclear;
  }

  /** Whether the taints of nodes affect which of their pods are counted. */
  get countsByTaints(): boolean {
    const { hard, soft } = this.neighbours;
    return hard?.countsByTaints === true || soft?.countsByTaints === true;
  }

  /** Whether other pods can keep the pods off nodes by anything other than their requests and host ports. */
  get isKeptOff(): boolean {
    this.catchUp();
    const { hard, affinity, filtersAffinity } = this.neighbours;
    return hard !== undefined || (filtersAffinity && affinity.filters);
  }

  /** Whether topology spread excludes nodes for the pods. */
  get isSpread(): boolean {
    return this.neighbours.hard !== undefined;
  }

  choose(): Choice {
    this.catchUp();
    if (this.alone) {
      const { feasible, tied, best, node } = this.spec.leaders();
      return { feasible, tied, ...(feasible > 1 ? { total: best } : {}), node };
    }
    return this.chooseByGroup() ?? this.chooseAmongAll();
  }

  private chooseAmongAll(): Choice {
    this.spec.catchUp();
    return this.chooseAmong(this.columns, this.feasible(this.columns));
  }

  /**
   * The same, if topology spread is the only other score and nothing excludes nodes: all nodes of a group have the same spread
   * score, except those with pods that are counted by node. Undefined if that is not the case, or not worth it.
   */
  private chooseByGroup(): Choice | undefined {
    const { spec, weights } = this;
    const { soft, hard, groups } = this.neighbours;
    if (soft === undefined || groups === undefined || hard !== undefined || this.hasAffinity) return undefined;
    const { occupied } = soft;
    if (weights.spread === 0 || occupied.size * MUCH_OCCUPIED > groups.groupOf.length) return undefined;
    const { groups: leaders, first: firsts, apart } = spec.leadersByGroup(groups, occupied);
    const free = leaders.map(({ feasible }) => feasible);
    const spreads = soft.groupScores(
      groups,
      free,
      apart.map(({ node }) => node),
    );
    let best = Number.NEGATIVE_INFINITY;
    let tied = 0;
    let first = 0;
    const add = (total: number, count: number, node: number): void => {
      if (total > best) [best, tied, first] = [total, count, node];
      else if (total === best) [tied, first] = [tied + count, Math.min(first, node)];
    };
    leaders.forEach((of, group) => {
      if (of.feasible > 0) add(of.best + weights.spread * spreads[group]!, of.tied, firsts[group]!);
    });
    apart.forEach(({ node, total }, at) => {
      add(total + weights.spread * spreads[leaders.length + at]!, 1, node);
    });
    const feasible = free.reduce((sum, count) => sum + count, apart.length);
    return {
      feasible,
      tied,
      ...(feasible > 1 ? { total: best } : {}),
      node: (rank) => (rank === 0 ? first : this.chooseAmongAll().node(rank)),
    };
  }

  /** Whether a node is feasible apart from affinity and topology spread. */
  mayTake(node: number): boolean {
    this.spec.catchUp();
    return this.spec.open[node] === 1;
  }

  /** Whether one node is feasible. */
  isFeasible(node: number): boolean {
    if (!this.mayTake(node)) return false;
    this.catchUp();
    if (this.alone) return true;
    const { nodes } = this.columns;
    nodes[0] = node;
    return this.keepAdmitted(nodes, 1) === 1;
  }

  /**
   * The number of feasible nodes, and the best `most` of them: those with the greatest totals; equal totals are in order of
   * name.
   */
  best(most: number): { readonly feasible: number; readonly nodes: readonly number[] } {
    this.catchUp();
    const { feasible, node } = this.alone ? this.choose() : this.chooseAmongAll();
    if (feasible < 2) return { feasible, nodes: feasible === 0 ? [] : [node(0)] };
    const best = new BestNodes(most);
    const { open } = this.spec;
    if (this.alone) {
      for (let at = 0; at < open.length; at++) if (open[at] === 1) best.add(at, this.spec.totalAt(at));
    } else {
      const { nodes, totals } = this.columns;
      for (let at = 0; at < feasible; at++) best.add(nodes[at]!, totals[at]!);
    }
    return { feasible, nodes: best.nodes };
  }

  private catchUp(): void {
    for (const part of this.parts) {
      const { counts, moves } = part;
      for (; part.seen < moves.length; part.seen++) {
        const { kind, node, by } = moves[part.seen]!;
        counts.count(kind, node, by);
      }
    }
    if (this.alone && this.hasAffinity) this.alone = false;
  }

  private get hasAffinity(): boolean {
    const { affinity, filtersAffinity } = this.neighbours;
    return (filtersAffinity && affinity.filters) || affinity.scores;
  }

  /** Writes the feasible nodes to the columns and returns their number. */
  private feasible({ nodes }: Columns): number {
    return this.keepAdmitted(nodes, this.spec.writeOpen(nodes));
  }

  /** Keeps those of the first `count` nodes that other pods do not exclude, in order, and returns their number. */
  private keepAdmitted(nodes: Int32Array, count: number): number {
    const { hard, filtersAffinity, affinity } = this.neighbours;
    const kept = hard === undefined ? count : hard.keepAdmitted(nodes, count);
    return filtersAffinity ? affinity.keepAdmitted(nodes, kept) : kept;
  }

  private chooseAmong(columns: Columns, count: number): Choice {
    const { nodes, totals } = columns;
    if (count < 2) return { feasible: count, tied: count, node: () => nodes[0]! };
    this.addUp(columns, count);
    let best = Number.NEGATIVE_INFINITY;
    let tied = 0;
    for (let i = 0; i < count; i++) {
      const total = totals[i]!;
      if (total > best) {
        best = total;
        tied = 1;
      } else if (total === best) {
        tied++;
      }
    }
    const node = (rank: number): number => {
      let left = rank;
      for (let i = 0; i < count; i++) if (totals[i] === best && left-- === 0) return nodes[i]!;
      throw new RangeError(`no rank ${rank}`);
    };
    return { feasible: count, tied, total: best, node };
  }

  private addUp(columns: Columns, count: number): void {
    const { nodes, totals, scratch } = columns;
    const { weights, neighbours } = this;
    this.spec.writeTotals(nodes, count, totals);
    if (neighbours.soft !== undefined && weights.spread > 0) {
      neighbours.soft.scores(nodes, count, scratch);
      for (let i = 0; i < count; i++) totals[i]! += weights.spread * scratch[i]!;
    }
    if (neighbours.affinity.scores && weights.podAffinity > 0) this.addAffinity(columns, count);
  }

  private addAffinity({ nodes, totals, scratch }: Columns, count: number): void {
    const { weights } = this;
    scratch.fill(0, 0, count);
    this.neighbours.affinity.addScores(nodes, count, scratch);
    let least = Number.POSITIVE_INFINITY;
    let greatest = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < count; i++) {
      least = Math.min(least, scratch[i]!);
      greatest = Math.max(greatest, scratch[i]!);
    }
    const range = greatest - least;
    if (range <= 0) return;
    for (let i = 0; i < count; i++) {
      totals[i]! += weights.podAffinity * Math.trunc(MAX_NODE_SCORE * ((scratch[i]! - least) / range));
    }
  }
}

/** Counts, and the log of moves that may affect them. */
interface Part {
  readonly counts: AffinityCounts | SpreadCounts;
  readonly moves: readonly Move[];
  seen: number;
}

function partOf(counts: Part['counts'], kinds: readonly PodKind[], moves: readonly Move[]): Part {
  for (const kind of kinds) if (counts.minds(kind)) for (const node of kind.nodes) counts.count(kind, node, 1);
  return { counts, moves, seen: moves.length };
}
