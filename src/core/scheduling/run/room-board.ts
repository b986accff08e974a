import { hostPortsConflict, hostPortsOf, type HostPort } from '../../cluster/host-ports.js';
import { podRequestOf } from '../../cluster/pod-request.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { balanceScorer } from '../../placement/plugins/node-resources-balanced-allocation/score.js';
import { NAME as PORTS } from '../../placement/plugins/node-ports/node-ports.js';
import { askedAmounts, NAME as FIT } from '../../placement/plugins/node-resources-fit/node-resources-fit.js';
import { fitScorer } from '../../placement/plugins/node-resources-fit/score.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import type { Held, NodeBoard } from './node-board.js';
import type { PodKind } from './pod-kinds.js';

/** One resource that the pod asks for: it fits where the column of what is free has as much. */
interface Demand {
  readonly amount: number;
  readonly allocatable: Float64Array | undefined;
  readonly used: Float64Array;
}

/**
 * All pods that take the same of their node, over the nodes: which have room for one more, and what that scores. It catches up with
 * what has become of the nodes when it is asked.
 */
export class RoomBoard {
  /** By node: 1 where it has room, and none of its pods one of the host ports. */
  readonly room: Uint8Array;
  /** Scores, of nodes with room. */
  readonly fit: Uint8Array;
  /** Undefined for pods that NodeResourcesBalancedAllocation does not score. */
  readonly balance: Uint8Array | undefined;
  readonly held: Held;
  private readonly demands: readonly Demand[];
  private readonly ports: readonly HostPort[];
  /** By node: how many of its pods have one of the ports; undefined for pods without ports. */
  private readonly rivals: Int32Array | undefined;
  /** Whether nodes must have room for the pods. */
  private readonly isFitted: boolean;
  private readonly allowedPods: Float64Array | undefined;
  private readonly runningPods: Float64Array;
  private readonly fitOf: (node: number) => number;
  private readonly balanceOf: ((node: number) => number) | undefined;
  private seen: number;
  private seenMoves: number;

  constructor(
    private readonly board: NodeBoard,
    kinds: readonly PodKind[],
    pod: Pod,
    { args, filters }: SchedulingProfile,
  ) {
    const count = board.changedAt.length;
    const asks = (plugin: string): boolean => filters.some(({ name }) => name === plugin);
    this.isFitted = asks(FIT);
    this.demands = this.isFitted ? demandsOf(board, pod, args.nodeResourcesFit) : [];
    this.ports = asks(PORTS) ? hostPortsOf(pod.spec) : [];
    this.allowedPods = board.allocatable.column('pods')?.values;
    this.runningPods = board.requested.column('pods').values;
    this.fitOf = fitScorer(board, pod, args.nodeResourcesFit.scoringStrategy);
    this.balanceOf = balanceScorer(board, pod, args.nodeResourcesBalancedAllocation.resources);
    this.held = podRequestOf({ spec: pod.spec });
    this.room = new Uint8Array(count);
    this.fit = new Uint8Array(count);
    this.balance = this.balanceOf === undefined ? undefined : new Uint8Array(count);
    if (this.ports.length > 0) {
      this.rivals = new Int32Array(count);
      for (const kind of kinds) if (this.conflicts(kind)) for (const node of kind.nodes) this.rivals[node]!++;
    }
    this.seen = board.changes.length;
    this.seenMoves = board.moves.length;
    for (let node = 0; node < count; node++) this.look(node);
  }

  /** Takes in what has become of the nodes since. */
  catchUp(): void {
    if (this.seen === this.board.changes.length) return;
    this.countRivals();
    for (const node of this.board.changedSince(this.seen)) this.look(node);
    this.seen = this.board.changes.length;
  }

  private look(node: number): void {
    const hasRoom = (this.rivals === undefined || this.rivals[node] === 0) && this.hasRoom(node);
    this.room[node] = hasRoom ? 1 : 0;
    if (!hasRoom) return;
    this.fit[node] = this.fitOf(node);
    if (this.balanceOf !== undefined) this.balance![node] = this.balanceOf(node);
  }

  private hasRoom(node: number): boolean {
    if (!this.isFitted) return true;
    if (this.runningPods[node]! + 1 > (this.allowedPods?.[node] ?? 0)) return false;
    for (const { amount, allocatable, used } of this.demands) {
      if (amount > (allocatable?.[node] ?? 0) - used[node]!) return false;
    }
    return true;
  }

  private conflicts({ hostPorts }: PodKind): boolean {
    return hostPorts.some((port) => this.ports.some((own) => hostPortsConflict(own, port)));
  }

  private countRivals(): void {
    const { moves } = this.board;
    if (this.rivals !== undefined) {
      for (let at = this.seenMoves; at < moves.length; at++) {
        const { kind, node, by } = moves[at]!;
        if (this.conflicts(kind)) this.rivals[node]! += by;
      }
    }
    this.seenMoves = moves.length;
  }
}

function demandsOf(
  { allocatable, requested }: NodeBoard,
  pod: Pod,
  ignored: SchedulingProfile['args']['nodeResourcesFit'],
): readonly Demand[] {
  return askedAmounts(pod, ignored).map(([resource, amount]) => ({
    amount: Number(amount),
    allocatable: allocatable.column(resource)?.values,
    used: requested.column(resource).values,
  }));
}
