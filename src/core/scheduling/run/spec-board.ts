import { hostPortsConflict, hostPortsOf, type HostPort } from '../../cluster/host-ports.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { balanceScorer } from '../../placement/plugins/node-resources-balanced-allocation/score.js';
import { NAME as PORTS } from '../../placement/plugins/node-ports/node-ports.js';
import { isIgnoredResource, NAME as FIT } from '../../placement/plugins/node-resources-fit/node-resources-fit.js';
import { fitScorer } from '../../placement/plugins/node-resources-fit/score.js';
import { MAX_NODE_SCORE } from '../../placement/score-plugin.js';
import { schedulerRequest } from '../../resources/request-vector.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import { heldBy, type NodeBoard } from './node-board.js';
import type { PodKind } from './pod-kinds.js';
import { CLOSED, ScoreTree } from './score-tree.js';
import type { StaticPart } from './static-part.js';
import type { Weights } from './weights.js';

/** One resource that the pod asks for: it fits where the column of what is free has as much. */
interface Demand {
  readonly amount: number;
  readonly allocatable: Float64Array | undefined;
  readonly used: Float64Array;
}

/**
 * All pods with one spec, over the nodes: which are open to them as far as that hangs on the spec and on what nodes hold, and the
 * totals of these. It catches up with what has come to the nodes when it is asked.
 */
export class SpecBoard {
  /** By node: 1 where it is open. */
  readonly open: Uint8Array;
  readonly fit: Uint8Array;
  /** Undefined for a pod that NodeResourcesBalancedAllocation does not score. */
  readonly balance: Uint8Array | undefined;
  readonly held;
  private readonly tree: ScoreTree;
  private readonly demands: readonly Demand[];
  private readonly ports: readonly HostPort[];
  /** Whether nodes must have room for the pod. */
  private readonly isFitted: boolean;
  private readonly allowedPods: Float64Array | undefined;
  private readonly runningPods: Float64Array;
  private readonly fitOf: (node: number) => number;
  private readonly balanceOf: ((node: number) => number) | undefined;
  /** By raw score, how many open nodes have it. */
  private readonly dislikes: Spectrum | undefined;
  private readonly preferences: Spectrum | undefined;
  private seen: number;
  private isFilled = false;

  constructor(
    private readonly board: NodeBoard,
    kinds: readonly PodKind[],
    pod: Pod,
    private readonly fixed: StaticPart & { readonly images: Float64Array | undefined },
    { args, filters }: SchedulingProfile,
    private readonly weights: Weights,
  ) {
    const count = fixed.passes.length;
    const asks = (plugin: string): boolean => filters.some(({ name }) => name === plugin);
    this.isFitted = asks(FIT);
    this.demands = this.isFitted ? demandsOf(board, pod, args.nodeResourcesFit) : [];
    this.ports = asks(PORTS) ? hostPortsOf(pod.spec) : [];
    this.allowedPods = board.allocatable.column('pods')?.values;
    this.runningPods = board.requested.column('pods').values;
    this.fitOf = fitScorer(board, pod, args.nodeResourcesFit.scoringStrategy);
    this.balanceOf = balanceScorer(board, pod, args.nodeResourcesBalancedAllocation.resources);
    this.held = heldBy(pod);
    this.tree = new ScoreTree(count);
    this.fit = new Uint8Array(count);
    this.balance = this.balanceOf === undefined ? undefined : new Uint8Array(count);
    this.open = fixed.passes.slice();
    this.dislikes = fixed.disliked && new Spectrum(fixed.disliked);
    this.preferences = fixed.preferred && new Spectrum(fixed.preferred);
    this.seen = board.arrivals.length;
    if (this.ports.length > 0) for (const kind of kinds) this.closePorts(kind, kind.nodes);
    for (let node = 0; node < count; node++) {
      if (this.open[node] === 1 && !this.hasRoom(node)) this.open[node] = 0;
      if (this.open[node] === 1) {
        this.scoreAgain(node);
        this.dislikes?.add(node);
        this.preferences?.add(node);
      }
    }
  }

  /** The open nodes with the greatest total: for pods that nothing else refuses or scores. */
  best(): ScoreTree {
    this.catchUp();
    if (!this.isFilled) {
      this.isFilled = true;
      this.tree.fill((node) => this.totalOf(node));
    }
    return this.tree;
  }

  /** Takes in what has come to the nodes since. */
  catchUp(): void {
    const { arrivals } = this.board;
    if (this.seen === arrivals.length) return;
    const worst = this.dislikes?.greatest;
    const most = this.preferences?.greatest;
    const changed = new Set<number>();
    for (; this.seen < arrivals.length; this.seen++) {
      const { kind, node } = arrivals[this.seen]!;
      if (this.open[node] === 0) continue;
      if (this.ports.length > 0 && this.conflicts(kind)) this.close(node);
      changed.add(node);
    }
    for (const node of changed) {
      if (this.open[node] === 0) continue;
      if (this.hasRoom(node)) this.scoreAgain(node);
      else this.close(node);
    }
    if (!this.isFilled) return;
    const isScaledAnew = worst !== this.dislikes?.greatest || most !== this.preferences?.greatest;
    if (isScaledAnew) this.tree.fill((node) => this.totalOf(node));
    else for (const node of changed) this.tree.set(node, this.totalOf(node));
  }

  /** The raw scores that hang on the spec alone. */
  get disliked(): Float64Array | undefined {
    return this.fixed.disliked;
  }

  get preferred(): Float64Array | undefined {
    return this.fixed.preferred;
  }

  get images(): Float64Array | undefined {
    return this.fixed.images;
  }

  private totalOf(node: number): number {
    if (this.open[node] === 0) return CLOSED;
    const { weights, dislikes, preferences, fixed } = this;
    return (
      weights.taints * (dislikes === undefined ? MAX_NODE_SCORE : MAX_NODE_SCORE - dislikes.scaled(node)) +
      weights.nodeAffinity * (preferences?.scaled(node) ?? 0) +
      weights.fit * this.fit[node]! +
      weights.balance * (this.balance?.[node] ?? 0) +
      weights.images * (fixed.images?.[node] ?? 0)
    );
  }

  private hasRoom(node: number): boolean {
    if (!this.isFitted) return true;
    if (this.runningPods[node]! + 1 > (this.allowedPods?.[node] ?? 0)) return false;
    for (const { amount, allocatable, used } of this.demands) {
      if (amount > (allocatable?.[node] ?? 0) - used[node]!) return false;
    }
    return true;
  }

  private scoreAgain(node: number): void {
    this.fit[node] = this.fitOf(node);
    if (this.balanceOf !== undefined) this.balance![node] = this.balanceOf(node);
  }

  private close(node: number): void {
    this.open[node] = 0;
    this.dislikes?.remove(node);
    this.preferences?.remove(node);
  }

  private conflicts({ hostPorts }: PodKind): boolean {
    return hostPorts.some((port) => this.ports.some((own) => hostPortsConflict(own, port)));
  }

  private closePorts(kind: PodKind, nodes: readonly number[]): void {
    if (kind.hostPorts.length === 0 || !this.conflicts(kind)) return;
    for (const node of nodes) this.open[node] = 0;
  }
}

/** The raw scores of the open nodes, to be scaled by the greatest of them. */
class Spectrum {
  private readonly nodes = new Map<number, number>();
  greatest = 0;

  constructor(private readonly raw: Float64Array) {}

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

  /** 0 to 100. */
  scaled(node: number): number {
    return this.greatest === 0 ? 0 : Math.trunc((MAX_NODE_SCORE * this.raw[node]!) / this.greatest);
  }
}

function demandsOf(
  { allocatable, requested }: NodeBoard,
  pod: Pod,
  ignored: SchedulingProfile['args']['nodeResourcesFit'],
): readonly Demand[] {
  const { milliCPU, memory, ephemeralStorage, scalars } = schedulerRequest(pod);
  return [
    ['cpu', milliCPU] as const,
    ['memory', memory] as const,
    ['ephemeral-storage', ephemeralStorage] as const,
    ...[...scalars].filter(([name]) => !isIgnoredResource(ignored, name)),
  ]
    .filter(([, amount]) => amount > 0n)
    .map(([resource, amount]) => ({
      amount: Number(amount),
      allocatable: allocatable.column(resource)?.values,
      used: requested.column(resource).values,
    }));
}
