import type { Pod } from '../../kubernetes/objects/pod.js';
import { NAME as CORDON } from '../../placement/plugins/node-unschedulable/node-unschedulable.js';
import { taintTolerationScore } from '../../placement/plugins/taint-toleration/score.js';
import { NAME as TAINTS } from '../../placement/plugins/taint-toleration/taint-toleration.js';
import { MAX_NODE_SCORE } from '../../placement/score-plugin.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import type { NodeBoard } from './node-board.js';
import type { NodeGroups } from './node-groups.js';
import { Tolerance } from './nodes-now.js';
import type { RoomBoard } from './room-board.js';
import { CLOSED, ScoreTree } from './score-tree.js';
import type { StaticPart } from './static-part.js';
import type { Weights } from './weights.js';

/** If more than one in this many nodes has changed, the trees are built again. */
const MUCH = 8;
/** The call of `bestOf` at which its trees are built. */
const WORTH_A_TREE = 3;

/**
 * All pods with one spec: which nodes are open to them and with what totals, considering only the spec, the nodes themselves
 * and the amounts used on them. Catches up with changes of the nodes before it returns a result.
 */
export class SpecBoard {
  /** By node: 1 if it is open. */
  readonly open: Uint8Array;
  private tree: ScoreTree | undefined;
  /** The same totals by group of nodes. */
  private readonly grouped = new Map<NodeGroups, readonly ScoreTree[]>();
  /** For nodes whose taints or cordon have changed. */
  private readonly tolerance: Tolerance | undefined;
  /** Whether the profile scores taints. */
  private readonly dislikesTaints: boolean;
  /** Counts open nodes by raw score. */
  private dislikes: Spectrum | undefined;
  private readonly preferences: Spectrum | undefined;
  private seen: number;
  private looks = 0;

  constructor(
    private readonly board: NodeBoard,
    private readonly room: RoomBoard,
    pod: Pod,
    private readonly fixed: StaticPart & { readonly images: Float64Array | undefined },
    { filters, scores, gates }: SchedulingProfile,
    private readonly weights: Weights,
  ) {
    const count = fixed.passes.length;
    const asks = (plugin: string): boolean => filters.some(({ name }) => name === plugin);
    this.dislikesTaints = scores.some(({ plugin }) => plugin === taintTolerationScore);
    const { nodesNow } = board;
    if (nodesNow !== undefined) {
      const rules = { cordon: asks(CORDON), taints: asks(TAINTS) };
      this.tolerance = new Tolerance(pod.spec.tolerations ?? [], nodesNow, gates, rules);
    }
    this.dislikes = fixed.disliked && new Spectrum(fixed.disliked);
    this.preferences = fixed.preferred && new Spectrum(fixed.preferred);
    room.catchUp();
    this.seen = board.changes.length;
    this.open = new Uint8Array(count);
    for (const node of nodesNow?.changed ?? []) this.readTaints(node);
    for (let node = 0; node < count; node++) if (this.admits(node)) this.set(node, true);
  }

  /** The totals of the open nodes, for pods that nothing else excludes or scores. */
  best(): ScoreTree {
    this.catchUp();
    if (this.tree === undefined) {
      this.tree = new ScoreTree(this.open.length);
      this.tree.fill((node) => this.totalOf(node));
    }
    return this.tree;
  }

  /**
   * The totals of the open nodes by group; the index of a node in its tree is its position in the group. Undefined for the
   * first calls, for which trees are not worth it.
   */
  bestOf(groups: NodeGroups): readonly ScoreTree[] | undefined {
    this.catchUp();
    let trees = this.grouped.get(groups);
    if (trees === undefined) {
      // Building trees costs more than visiting all nodes once or twice.
      if (++this.looks < WORTH_A_TREE) return undefined;
      trees = groups.members.map(({ length }) => new ScoreTree(length));
      this.grouped.set(groups, trees);
      this.fill(groups, trees);
    }
    return trees;
  }

  /** Applies the changes of nodes since the last call. */
  catchUp(): void {
    const { board, tree, grouped } = this;
    if (this.seen === board.changes.length) return;
    this.room.catchUp();
    const worst = this.dislikes?.greatest;
    const most = this.preferences?.greatest;
    const changed = board.changedSince(this.seen);
    this.seen = board.changes.length;
    for (const node of changed) this.lookAgain(node);
    const isScaledAnew = worst !== this.dislikes?.greatest || most !== this.preferences?.greatest;
    if (isScaledAnew || changed.length * MUCH > this.open.length) {
      tree?.fill((node) => this.totalOf(node));
      for (const [groups, trees] of grouped) this.fill(groups, trees);
      return;
    }
    if (tree === undefined && grouped.size === 0) return;
    for (const node of changed) {
      const total = this.totalOf(node);
      tree?.set(node, total);
      for (const [{ groupOf, placeOf }, trees] of grouped) trees[groupOf[node]!]!.set(placeOf[node]!, total);
    }
  }

  private fill({ members }: NodeGroups, trees: readonly ScoreTree[]): void {
    trees.forEach((tree, group) => {
      tree.fill((place) => this.totalOf(members[group]![place]!));
    });
  }

  get fit(): Uint8Array {
    return this.room.fit;
  }

  get balance(): Uint8Array | undefined {
    return this.room.balance;
  }

  /** The raw scores that depend only on the spec. */
  get disliked(): Float64Array | undefined {
    return this.dislikes?.raw;
  }

  get preferred(): Float64Array | undefined {
    return this.fixed.preferred;
  }

  get images(): Float64Array | undefined {
    return this.fixed.images;
  }

  private totalOf(node: number): number {
    if (this.open[node] === 0) return CLOSED;
    const { weights, dislikes, preferences, fixed, fit, balance } = this;
    return (
      weights.taints * (dislikes === undefined ? MAX_NODE_SCORE : MAX_NODE_SCORE - dislikes.scaled(node)) +
      weights.nodeAffinity * (preferences?.scaled(node) ?? 0) +
      weights.fit * fit[node]! +
      weights.balance * (balance?.[node] ?? 0) +
      weights.images * (fixed.images?.[node] ?? 0)
    );
  }

  private lookAgain(node: number): void {
    if (this.board.nodesNow?.hasChanged(node) === true) {
      // Its raw score may have changed, so it is removed and added again.
      this.set(node, false);
      this.readTaints(node);
    }
    this.set(node, this.admits(node));
  }

  private readTaints(node: number): void {
    if (!this.dislikesTaints) return;
    const score = this.tolerance!.dislikes(node);
    if (this.dislikes === undefined) {
      if (score === 0) return;
      this.dislikes = new Spectrum(new Float64Array(this.open.length));
      for (let other = 0; other < this.open.length; other++) if (this.open[other] === 1) this.dislikes.add(other);
    }
    this.dislikes.write(node, score);
  }

  private admits(node: number): boolean {
    if (this.room.room[node] === 0) return false;
    return this.board.nodesNow?.hasChanged(node) === true
      ? this.fixed.passesUntainted[node] === 1 && this.tolerance!.admits(node)
      : this.fixed.passes[node] === 1;
  }

  private set(node: number, open: boolean): void {
    if (open === (this.open[node] === 1)) return;
    this.open[node] = open ? 1 : 0;
    if (open) {
      this.dislikes?.add(node);
      this.preferences?.add(node);
    } else {
      this.dislikes?.remove(node);
      this.preferences?.remove(node);
    }
  }
}

/** The raw scores of the open nodes, and the greatest of them, by which they are scaled. */
class Spectrum {
  private readonly nodes = new Map<number, number>();
  private isOwn = false;
  greatest = 0;

  constructor(public raw: Float64Array) {}

  add(node: number): void {
    const score = this.raw[node]!;
    this.nodes.set(score, (this.nodes.get(score) ?? 0) + 1);
    if (score > this.greatest) this.greatest = score;
  }

  remove(node: number): void {
    const score = this.raw[node]!;
    const left = this.nodes.get(score)! - 1;
    if (left > 0) {
      this.nodes.set(score, left);
      return;
    }
    this.nodes.delete(score);
    if (score === this.greatest) this.greatest = Math.max(0, ...this.nodes.keys());
  }

  /** Sets the score of a node that is not among the counted ones. */
  write(node: number, score: number): void {
    if (this.raw[node] === score) return;
    if (!this.isOwn) this.raw = this.raw.slice();
    this.isOwn = true;
    this.raw[node] = score;
  }

  /** The score from 0 to 100. */
  scaled(node: number): number {
    return this.greatest === 0 ? 0 : Math.trunc((MAX_NODE_SCORE * this.raw[node]!) / this.greatest);
  }
}
