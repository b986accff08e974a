import type { ClusterState } from '../../../cluster/cluster-state.js';
import type { PodTable } from '../../../cluster/pod-table.js';
import { SUCCESS, UNSCHEDULABLE, type PreFilterExtensions, type StatusCode } from '../../plugin.js';
import { tooLargeIn, type Demand } from './demand.js';
import type { HeldAmounts } from './held-amounts.js';
import { shortMessage } from './short-message.js';

/**
 * The extensions for nodes on which every amount is a safe integer and none is negative: computes in doubles, without loss. One object serves
 * all nodes and is started again for each, so that a node costs no more than its pods' numbers.
 */
export class PlainExtensions implements PreFilterExtensions {
  private readonly allowed: Float64Array | undefined;
  private readonly running: Float64Array | undefined;
  /** Whether the demands themselves are such that this may be used. */
  private readonly isApt: boolean;

  /** By request id, what such a pod holds of each demand, one id after the other; only where they are plain. */
  private amounts = new Float64Array(0);
  /** By request id, 1 where the amounts are known to be plain, 2 where they are known not to be. */
  private kinds = new Uint8Array(0);

  private requestIds: readonly number[] = [];
  private allowedPods = 0;
  private pods = 0;
  /** By demand, what the pods that are there hold, and how much that may be for the pod to fit. */
  private readonly used: Float64Array;
  private readonly limits: Float64Array;
  private readonly tooLarge: StatusCode;

  constructor(
    private readonly state: ClusterState,
    private readonly demands: readonly Demand[],
    private readonly held: HeldAmounts,
  ) {
    this.allowed = state.nodes.allocatable.column('pods')?.values;
    this.running = state.nodes.requested.column('pods')?.values;
    this.isApt = demands.every(({ plain, delegated }) => !delegated && !Number.isNaN(plain));
    this.used = new Float64Array(demands.length);
    this.limits = new Float64Array(demands.length);
    this.tooLarge = tooLargeIn(state);
  }

  /**
   * Begins with a node as it is, without what nominated pods hold of it.
   *
   * @returns false where something is not plain: then it may not be used
   */
  start(node: number, moving: readonly number[]): boolean {
    if (!this.isApt) return false;
    const allowedPods = this.allowed?.[node] ?? 0;
    const pods = this.running?.[node] ?? 0;
    if (Number.isNaN(allowedPods) || Number.isNaN(pods)) return false;
    const { demands, used, limits } = this;
    for (let index = 0; index < demands.length; index++) {
      const demand = demands[index]!;
      const room = demand.allocatable?.[node] ?? 0;
      const before = demand.used?.[node] ?? 0;
      // Also false for NaN.
      if (!(room >= 0 && before >= 0)) return false;
      limits[index] = room - demand.plain;
      used[index] = before;
    }
    const requestIds = requestIdsOf(this.state.pods, moving);
    for (let place = 0; place < requestIds.length; place++) {
      const kind = this.kinds[requestIds[place]!];
      if (kind !== PLAIN && this.learn(requestIds[place]!, moving[place]!) !== PLAIN) return false;
    }
    this.requestIds = requestIds;
    this.allowedPods = allowedPods;
    this.pods = pods;
    return true;
  }

  removePod(place: number): void {
    const { used, amounts } = this;
    const { length } = used;
    const row = this.requestIds[place]! * length;
    for (let index = 0; index < length; index++) used[index]! -= amounts[row + index]!;
    this.pods--;
  }

  removePodsFrom(place: number): void {
    const { used, amounts, requestIds } = this;
    const { length } = used;
    for (let each = place; each < requestIds.length; each++) {
      const row = requestIds[each]! * length;
      for (let index = 0; index < length; index++) used[index]! -= amounts[row + index]!;
    }
    this.pods -= requestIds.length - place;
  }

  addPod(place: number): void {
    const { used, amounts } = this;
    const { length } = used;
    const row = this.requestIds[place]! * length;
    for (let index = 0; index < length; index++) used[index]! += amounts[row + index]!;
    this.pods++;
  }

  addPassingPods(from: number, to: number, gone: number[]): void {
    const { used, amounts, limits, requestIds } = this;
    const { length } = used;
    for (let place = from; place < to; place++) {
      const row = requestIds[place]! * length;
      let passes = this.pods + 2 <= this.allowedPods;
      for (let index = 0; passes && index < length; index++) {
        passes = used[index]! + amounts[row + index]! <= limits[index]!;
      }
      if (!passes) {
        gone.push(place);
        continue;
      }
      for (let index = 0; index < length; index++) used[index]! += amounts[row + index]!;
      this.pods++;
    }
  }

  status(): StatusCode {
    let code: StatusCode = this.isFull() ? UNSCHEDULABLE : SUCCESS;
    for (let index = 0; index < this.limits.length; index++) {
      if (!this.isShort(index)) continue;
      // Less than nothing: more is asked than there ever is.
      if (this.limits[index]! < 0) return this.tooLarge;
      code = UNSCHEDULABLE;
    }
    return code;
  }

  messages(): readonly string[] {
    return [
      ...(this.isFull() ? [shortMessage('pods')] : []),
      ...this.demands.filter((_, index) => this.isShort(index)).map(({ resource }) => shortMessage(resource)),
    ];
  }

  private isFull(): boolean {
    return this.pods + 1 > this.allowedPods;
  }

  private isShort(index: number): boolean {
    return this.used[index]! > this.limits[index]!;
  }

  private learn(requestId: number, pod: number): number {
    if (requestId >= this.kinds.length) this.grow(requestId + 1);
    const before = this.kinds[requestId]!;
    if (before !== 0) return before;
    const amounts = this.held.of(pod);
    const isPlain = amounts.every((amount) => typeof amount === 'number' && amount >= 0);
    if (isPlain) this.amounts.set(amounts as readonly number[], requestId * amounts.length);
    return (this.kinds[requestId] = isPlain ? PLAIN : NOT_PLAIN);
  }

  private grow(least: number): void {
    const ids = Math.max(least, 2 * this.kinds.length, 64);
    const { kinds, amounts } = this;
    this.kinds = new Uint8Array(ids);
    this.kinds.set(kinds);
    this.amounts = new Float64Array(ids * this.demands.length);
    this.amounts.set(amounts);
  }
}

const PLAIN = 1;
const NOT_PLAIN = 2;

/** By a list of pods that is asked about again and again, the request id of each: they are the same in every state with the same list. */
const known = new WeakMap<readonly number[], readonly number[]>();

function requestIdsOf(pods: PodTable, list: readonly number[]): readonly number[] {
  let ids = known.get(list);
  if (ids === undefined) known.set(list, (ids = list.map((pod) => pods.requestId(pod))));
  return ids;
}
