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

/** If more than one in this many nodes has changed, updates of trees cost more than a visit of all nodes. */
const MUCH = 8;
/** The number of calls in turn, with few changed nodes before each, after which trees are built. */
const WORTH_A_TREE = 8;
/** Nodes that are taken out of trees, and put back. */
const MAX_TAKEN_OUT = 64;

/** The best of some nodes. */
export interface Leaders {
  readonly feasible: number;
  /** The greatest total; CLOSED if no node is feasible. */
  readonly best: number;
  /** The number of nodes with the greatest total. */
  readonly tied: number;
  /** The node at a rank, from 0 to `tied - 1`, among those with the greatest total, in order of index. Valid until the next change of a node. */
  readonly node: (rank: number) => number;
}

/** The best nodes of each group, some nodes apart. */
export interface GroupLeaders {
  readonly groups: readonly Omit<Leaders, 'node'>[];
  /** By group: the first node with the greatest total; -1 without a feasible node. */
  readonly first: readonly number[];
  /** The feasible ones of the nodes apart. */
  readonly apart: readonly { readonly node: number; readonly total: number }[];
}

/**
 * All pods with one spec: which nodes are open to them and with what totals, considering only the spec, the nodes themselves
 * and the amounts used on them. Catches up with changes of the nodes before it returns a result.
 */
export class SpecBoard {
  /** By node: 1 if it is open. */
  readonly open: Uint8Array;
  /** By node: what the scores of the spec add up to; CLOSED if the node is not open. */
  private readonly totals: Float64Array;
  /** The same totals, as long as few nodes change between two calls. */
  private tree: ScoreTree | undefined;
  /** The same by group of nodes. */
  private readonly grouped = new Map<NodeGroups, readonly ScoreTree[]>();
  /** Calls since many nodes changed. */
  private calls = 0;
  /** For nodes whose taints or cordon have changed. */
  private readonly tolerance: Tolerance | undefined;
  /** Whether the profile scores taints. */
  private readonly dislikesTaints: boolean;
  /** Counts open nodes by raw score. */
  private dislikes: Spectrum | undefined;
  private readonly preferences: Spectrum | undefined;
  private seen: number;

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
    this.openAdmitted(fixed.candidates.nodes);
    this.totals = new Float64Array(count).fill(CLOSED);
    this.addUp();
  }

  /** The best open nodes, for pods that nothing else excludes or scores. */
  leaders(): Leaders {
    this.catchUp();
    if (this.tree === undefined) {
      if (++this.calls < WORTH_A_TREE) return this.leadersAmongAll();
      this.tree = new ScoreTree(this.totals.length);
      this.fill(this.tree);
    }
    const { tree } = this;
    const { feasible, best, tied } = tree;
    return { feasible, best, tied, node: (rank) => tree.bestNode(rank) };
  }

  /** The best open nodes of each group. */
  leadersByGroup(groups: NodeGroups, apart: { readonly size: number; keys(): Iterable<number> }): GroupLeaders {
    this.catchUp();
    if (apart.size > MAX_TAKEN_OUT) return this.leadersOfAllGroups(groups, apart.keys());
    let trees = this.grouped.get(groups);
    if (trees === undefined) {
      if (++this.calls < WORTH_A_TREE) return this.leadersOfAllGroups(groups, apart.keys());
      trees = groups.members.map(({ length }) => new ScoreTree(length));
      this.grouped.set(groups, trees);
      this.fillGroups(groups, trees);
    }
    return this.leadersOfTrees(groups, trees, apart.keys());
  }

  /** The total of a node, of which the caller knows that it is open. */
  totalAt(node: number): number {
    return this.totals[node]!;
  }

  /** Writes the open nodes, ascending, and returns their number. The caller has caught up. */
  writeOpen(nodes: Int32Array): number {
    const { open } = this;
    const { nodes: candidates } = this.fixed.candidates;
    let found = 0;
    for (let at = 0; at < candidates.length; at++) {
      const node = candidates[at]!;
      if (open[node] === 1) nodes[found++] = node;
    }
    return found;
  }

  /** Writes what the scores of the spec add up to for some open nodes, if no others are feasible. The caller has caught up. */
  writeTotals(nodes: Int32Array, count: number, totals: Float64Array): void {
    const { dislikes, preferences, weights } = this;
    const worst = dislikes?.greatestOf(nodes, count) ?? 0;
    const most = preferences?.greatestOf(nodes, count) ?? 0;
    for (let at = 0; at < count; at++) totals[at] = this.totals[nodes[at]!]!;
    // The totals are for all open nodes; among fewer of them, raw scores may be scaled by less.
    if (dislikes !== undefined && worst !== dislikes.greatest) {
      for (let at = 0; at < count; at++) {
        const node = nodes[at]!;
        totals[at]! += weights.taints * (dislikes.scaled(node) - dislikes.scaled(node, worst));
      }
    }
    if (preferences !== undefined && most !== preferences.greatest) {
      for (let at = 0; at < count; at++) {
        const node = nodes[at]!;
        totals[at]! += weights.nodeAffinity * (preferences.scaled(node, most) - preferences.scaled(node));
      }
    }
  }

  private leadersAmongAll(): Leaders {
    const { totals } = this;
    let feasible = 0;
    let best = CLOSED;
    let tied = 0;
    const { nodes } = this.fixed.candidates;
    for (let at = 0; at < nodes.length; at++) {
      const total = totals[nodes[at]!]!;
      if (total === CLOSED) continue;
      feasible++;
      if (total > best) [best, tied] = [total, 1];
      else if (total === best) tied++;
    }
    const node = (rank: number): number => {
      let left = rank;
      for (const at of nodes) if (totals[at] === best && left-- === 0) return at;
      throw new RangeError(`no rank ${rank}`);
    };
    return { feasible, best, tied, node };
  }

  private leadersOfAllGroups(grouping: NodeGroups, nodesApart: Iterable<number>): GroupLeaders {
    const { totals } = this;
    const apart: { readonly node: number; readonly total: number }[] = [];
    for (const node of nodesApart) {
      const total = totals[node]!;
      if (total === CLOSED) continue;
      apart.push({ node, total });
      totals[node] = CLOSED;
    }
    const first: number[] = [];
    const groups = this.fixed.candidates.in(grouping).map((nodes) => {
      let feasible = 0;
      let best = CLOSED;
      let tied = 0;
      let leader = -1;
      for (let place = 0; place < nodes.length; place++) {
        const node = nodes[place]!;
        const total = totals[node]!;
        if (total === CLOSED) continue;
        feasible++;
        if (total > best) {
          best = total;
          tied = 1;
          leader = node;
        } else if (total === best) tied++;
      }
      first.push(leader);
      return { feasible, best, tied };
    });
    for (const { node, total } of apart) totals[node] = total;
    return { groups, first, apart };
  }

  private leadersOfTrees(
    { groupOf, placeOf, members }: NodeGroups,
    trees: readonly ScoreTree[],
    nodesApart: Iterable<number>,
  ): GroupLeaders {
    const { totals } = this;
    const apart: { readonly node: number; readonly total: number }[] = [];
    for (const node of nodesApart) {
      const total = totals[node]!;
      if (total === CLOSED) continue;
      apart.push({ node, total });
      trees[groupOf[node]!]!.set(placeOf[node]!, CLOSED);
    }
    const groups = trees.map(({ feasible, best, tied }) => ({ feasible, best, tied }));
    const first = trees.map((tree, group) => (tree.feasible === 0 ? -1 : members[group]![tree.bestNode(0)]!));
    for (const { node, total } of apart) trees[groupOf[node]!]!.set(placeOf[node]!, total);
    return { groups, first, apart };
  }

  /** Applies the changes of nodes since the last call. */
  catchUp(): void {
    const { board, tree, grouped, totals } = this;
    const { candidates, passesUntainted } = this.fixed;
    if (this.seen === board.changes.length) return;
    this.room.catchUp();
    const worst = this.dislikes?.greatest;
    const most = this.preferences?.greatest;
    const changed = board.changedAmong(candidates.nodes, passesUntainted, this.seen);
    this.seen = board.changes.length;
    for (const node of changed) this.lookAgain(node);
    const isScaledAnew = worst !== this.dislikes?.greatest || most !== this.preferences?.greatest;
    if (isScaledAnew) this.addUp();
    else for (const node of changed) totals[node] = this.totalOf(node);
    if (isScaledAnew || changed.length * MUCH > candidates.nodes.length) {
      this.calls = 0;
      this.tree = undefined;
      grouped.clear();
      return;
    }
    if (tree === undefined && grouped.size === 0) return;
    for (const node of changed) {
      const total = totals[node]!;
      tree?.set(node, total);
      for (const [{ groupOf, placeOf }, trees] of grouped) trees[groupOf[node]!]!.set(placeOf[node]!, total);
    }
  }

  private addUp(): void {
    for (const node of this.fixed.candidates.nodes) this.totals[node] = this.totalOf(node);
  }

  private fill(tree: ScoreTree): void {
    tree.fill((node) => this.totals[node]!);
  }

  private fillGroups({ members }: NodeGroups, trees: readonly ScoreTree[]): void {
    trees.forEach((tree, group) => {
      tree.fill((place) => this.totals[members[group]![place]!]!);
    });
  }

  private totalOf(node: number): number {
    if (this.open[node] === 0) return CLOSED;
    const { weights, dislikes, preferences, fixed } = this;
    const { fit, balance } = this.room;
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
      this.dislikes.addOpen(this.fixed.candidates.nodes, this.open);
    }
    this.dislikes.write(node, score);
  }

  private admits(node: number): boolean {
    if (this.room.room[node] === 0) return false;
    return this.board.nodesNow?.hasChanged(node) === true
      ? this.fixed.passesUntainted[node] === 1 && this.tolerance!.admits(node)
      : this.fixed.passes[node] === 1;
  }

  /** Opens those of the nodes, none of which is open, that admit the pods. */
  private openAdmitted(nodes: Int32Array): void {
    const { open, dislikes, preferences } = this;
    for (let at = 0; at < nodes.length; at++) if (this.admits(nodes[at]!)) open[nodes[at]!] = 1;
    dislikes?.addOpen(nodes, open);
    preferences?.addOpen(nodes, open);
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
    this.count(this.raw[node]!, 1);
  }

  /** Adds those of the nodes that are open; nodes in a row often have equal scores. */
  addOpen(nodes: Int32Array, open: Uint8Array): void {
    const { raw } = this;
    let score = 0;
    let inRow = 0;
    for (let at = 0; at < nodes.length; at++) {
      const node = nodes[at]!;
      if (open[node] === 0) continue;
      if (raw[node] !== score) {
        if (inRow > 0) this.count(score, inRow);
        score = raw[node]!;
        inRow = 0;
      }
      inRow++;
    }
    if (inRow > 0) this.count(score, inRow);
  }

  private count(score: number, nodes: number): void {
    this.nodes.set(score, (this.nodes.get(score) ?? 0) + nodes);
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

  /** The greatest score of some of the nodes. */
  greatestOf(nodes: Int32Array, count: number): number {
    const { raw } = this;
    let greatest = 0;
    for (let at = 0; at < count; at++) {
      const score = raw[nodes[at]!]!;
      if (score > greatest) greatest = score;
    }
    return greatest;
  }

  /** The score from 0 to 100. */
  scaled(node: number, greatest = this.greatest): number {
    return greatest === 0 ? 0 : Math.trunc((MAX_NODE_SCORE * this.raw[node]!) / greatest);
  }
}
