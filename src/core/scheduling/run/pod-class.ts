import type { PodKind, PodKinds } from './pod-kinds.js';
import type { AffinityCounts } from './affinity-counts.js';
import type { Arrival, NodeBoard } from './node-board.js';
import type { SpecBoard } from './spec-board.js';
import type { SpreadCounts } from './spread-counts.js';
import type { Weights } from './weights.js';
import { MAX_NODE_SCORE } from '../../placement/score-plugin.js';

/** What a class of pods comes to: the best nodes, how many are feasible, and the greatest total. */
export interface Choice {
  readonly feasible: number;
  readonly tied: number;
  /** Absent where one node alone was feasible. */
  readonly total?: number;
  /** The node of a rank among those with the greatest total. */
  readonly node: (rank: number) => number;
}

/** Room to work in, by node or by position among the feasible nodes. */
interface Columns {
  readonly open: Uint8Array;
  readonly nodes: Int32Array;
  readonly totals: Float64Array;
  readonly scratch: Float64Array;
}

const columnsOf = (count: number): Columns => ({
  open: new Uint8Array(count),
  nodes: new Int32Array(count),
  totals: new Float64Array(count),
  scratch: new Float64Array(count),
});

/** What of a pod's surroundings decides beside its spec. */
export interface Neighbours {
  readonly affinity: AffinityCounts;
  readonly hard: SpreadCounts | undefined;
  /** Whether affinity between pods refuses nodes, beside scoring them. */
  readonly filtersAffinity: boolean;
  readonly soft: SpreadCounts | undefined;
}

/**
 * Pods with one spec, one namespace and one set of labels. As long as no pod on a node has anything to do with them, and they with none,
 * it is their spec alone that decides.
 */
export class PodClass {
  /** Those that the class may mind. */
  private readonly arrivals: readonly Arrival[];
  private readonly parts: readonly (AffinityCounts | SpreadCounts)[];
  /** Whether something was counted that can refuse or score. */
  private isAlone: boolean;
  private seen: number;
  /** Made when they are first needed: most classes never do. */
  private columns: Columns | undefined;

  constructor(
    private readonly spec: SpecBoard,
    private readonly neighbours: Neighbours,
    kinds: PodKinds,
    own: PodKind,
    board: NodeBoard,
    private readonly weights: Weights,
  ) {
    const { affinity, hard, soft } = neighbours;
    const mindsAll = own.hasTerms || hard !== undefined || soft !== undefined;
    this.arrivals = mindsAll ? board.arrivals : board.arrivalsWithTerms;
    this.parts = [affinity, ...(hard === undefined ? [] : [hard]), ...(soft === undefined ? [] : [soft])];
    for (const kind of mindsAll ? kinds.all : kinds.withTerms) {
      for (const part of this.parts) if (part.minds(kind)) countAll(part, kind);
    }
    this.seen = this.arrivals.length;
    this.isAlone = hard === undefined && soft === undefined && !this.hasAffinity;
  }

  /** Set where an answer hangs on something that is not known, so that the pods are to be decided about in the plain way. */
  get isUnclear(): boolean {
    return this.neighbours.affinity.isUnclear;
  }

  choose(): Choice {
    this.catchUp();
    if (this.isAlone) {
      const tree = this.spec.best();
      const { feasible, tied, best } = tree;
      return {
        feasible,
        tied,
        ...(feasible > 1 ? { total: best } : {}),
        node: (rank) => tree.bestNode(rank),
      };
    }
    this.spec.catchUp();
    const columns = (this.columns ??= columnsOf(this.spec.open.length));
    return this.chooseAmong(columns, this.feasible(columns));
  }

  private catchUp(): void {
    for (; this.seen < this.arrivals.length; this.seen++) {
      const { kind, node } = this.arrivals[this.seen]!;
      for (const part of this.parts) part.count(kind, node);
    }
    if (this.isAlone && this.hasAffinity) this.isAlone = false;
  }

  private get hasAffinity(): boolean {
    const { affinity, filtersAffinity } = this.neighbours;
    return (filtersAffinity && affinity.filters) || affinity.scores;
  }

  /** Writes the feasible nodes, and gives their number. */
  private feasible({ open, nodes }: Columns): number {
    open.set(this.spec.open);
    this.neighbours.hard?.close(open);
    if (this.neighbours.filtersAffinity) this.neighbours.affinity.close(open);
    let found = 0;
    for (let node = 0; node < open.length; node++) if (open[node] === 1) nodes[found++] = node;
    return found;
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
    const { spec, weights, neighbours } = this;
    const { fit, balance, images } = spec;
    for (let i = 0; i < count; i++) {
      const node = nodes[i]!;
      totals[i] = weights.fit * fit[node]!;
      if (balance !== undefined) totals[i]! += weights.balance * balance[node]!;
      if (images !== undefined) totals[i]! += weights.images * images[node]!;
    }
    addScaled(columns, spec.disliked, count, (scaled) => weights.taints * (MAX_NODE_SCORE - scaled));
    addScaled(columns, spec.preferred, count, (scaled) => weights.nodeAffinity * scaled);
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

function countAll(part: AffinityCounts | SpreadCounts, kind: PodKind): void {
  for (const node of kind.nodes) part.count(kind, node);
}

/** Of a plugin that scales its scores by the greatest; one without any scores 0 on every node. */
function addScaled(
  { nodes, totals }: Columns,
  raw: Float64Array | undefined,
  count: number,
  weighted: (scaled: number) => number,
): void {
  let greatest = 0;
  if (raw !== undefined) for (let i = 0; i < count; i++) greatest = Math.max(greatest, raw[nodes[i]!]!);
  for (let i = 0; i < count; i++) {
    const scaled = greatest === 0 ? 0 : Math.trunc((MAX_NODE_SCORE * raw![nodes[i]!]!) / greatest);
    totals[i]! += weighted(scaled);
  }
}
