import type { LruCache } from '../../collections/lru-cache.js';
import { hostPortsConflict, hostPortsOf, type HostPort } from '../../cluster/host-ports.js';
import { podRequestOf } from '../../cluster/pod-request.js';
import type { KubernetesRules } from '../../kubernetes/kubernetes-rules.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import { balanceScorer } from '../../placement/plugins/node-resources-balanced-allocation/score.js';
import { NAME as PORTS } from '../../placement/plugins/node-ports/node-ports.js';
import { askedAmounts, NAME as FIT } from '../../placement/plugins/node-resources-fit/node-resources-fit.js';
import { fitScorer } from '../../placement/plugins/node-resources-fit/score.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import type { Held, NodeBoard } from './node-board.js';
import type { PodKind, PodKinds } from './pod-kinds.js';

/** The request for one resource: it fits if the allocatable amount minus the used one is at least as large. */
interface Demand {
  readonly amount: number;
  readonly allocatable: Float64Array | undefined;
  readonly used: Float64Array;
}

/** By node: as in `RoomBoard`, before any pod has come or left. */
export type RoomStart = Pick<RoomBoard, 'room' | 'fit' | 'balance'>;

/**
 * All pods that use the same amounts and host ports: which nodes have room for one more, and their scores. Catches up with
 * changes of the nodes before it returns a result.
 */
export class RoomBoard {
  /** By node: 1 if it has room and none of its pods uses one of the host ports. */
  readonly room: Uint8Array;
  /** By node: the score of NodeResourcesFit, for nodes with room. */
  readonly fit: Uint8Array;
  /** Undefined if NodeResourcesBalancedAllocation does not score the pods. */
  readonly balance: Uint8Array | undefined;
  readonly held: Held;
  private readonly demands: readonly Demand[];
  private readonly ports: readonly HostPort[];
  /** By node: the number of its pods that use one of the host ports; undefined for pods without host ports. */
  private readonly rivals: Int32Array | undefined;
  /** Whether the filter NodeResourcesFit applies. */
  private readonly isFitted: boolean;
  private readonly allowedPods: Float64Array | undefined;
  private readonly runningPods: Float64Array;
  private readonly fitOf: (node: number) => number;
  private readonly balanceOf: ((node: number) => number) | undefined;
  private seen: number;
  private seenMoves: number;

  /** @param starts of boards on which no pod has come or left yet */
  constructor(
    private readonly board: NodeBoard,
    kinds: Pick<PodKinds, 'all'>,
    pod: Pod,
    { args, filters }: SchedulingProfile,
    starts?: { readonly key: string; readonly of: LruCache<RoomStart> },
  ) {
    const { rules } = board;
    const count = board.changedAt.length;
    const asks = (plugin: string): boolean => filters.some(({ name }) => name === plugin);
    this.isFitted = asks(FIT);
    this.demands = this.isFitted ? demandsOf(board, pod, args.nodeResourcesFit, rules) : [];
    this.ports = asks(PORTS) ? hostPortsOf(pod.spec, rules) : [];
    this.allowedPods = board.allocatable.column('pods')?.values;
    this.runningPods = board.requested.column('pods').values;
    this.fitOf = fitScorer(board, pod, args.nodeResourcesFit.scoringStrategy, rules);
    this.balanceOf = balanceScorer(board, pod, args.nodeResourcesBalancedAllocation.resources, rules);
    this.held = podRequestOf({ spec: pod.spec }, rules);
    this.room = new Uint8Array(count);
    this.fit = new Uint8Array(count);
    this.balance = this.balanceOf === undefined ? undefined : new Uint8Array(count);
    if (this.ports.length > 0) {
      this.rivals = new Int32Array(count);
      for (const kind of kinds.all) if (this.conflicts(kind)) for (const node of kind.nodes) this.rivals[node]!++;
    }
    this.seen = board.changes.length;
    this.seenMoves = board.moves.length;
    const known = starts?.of.peek(starts.key);
    if (known === undefined) {
      for (let node = 0; node < count; node++) this.look(node);
      starts?.of.get(starts.key, () => ({
        room: this.room.slice(),
        fit: this.fit.slice(),
        balance: this.balance?.slice(),
      }));
    } else {
      this.room.set(known.room);
      this.fit.set(known.fit);
      if (known.balance !== undefined) this.balance?.set(known.balance);
    }
  }

  /** Applies the changes of nodes since the last call. */
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
  rules: KubernetesRules,
): readonly Demand[] {
  return askedAmounts(pod, ignored, rules).map(([resource, amount]) => ({
    amount: Number(amount),
    allocatable: allocatable.column(resource)?.values,
    used: requested.column(resource).values,
  }));
}
