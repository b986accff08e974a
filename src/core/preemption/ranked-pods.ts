import type { ClusterState } from '../cluster/cluster-state.js';
import type { PodTable } from '../cluster/pod-table.js';
import { comparePodNames } from '../cluster/compare-pod-names.js';

/** The active pods of a node with their priorities, in order of importance, the most important first. */
export class RankedPods {
  constructor(
    readonly pods: readonly number[],
    readonly priorities: readonly number[],
  ) {}

  /** How many of the first pods have at least this priority; the pods after them have a lower one. */
  from(priority: number): number {
    const { priorities } = this;
    let first = 0;
    while (first < priorities.length && priorities[first]! >= priority) first++;
    return first;
  }
}

/** By a node's list of pods, which states share as long as none of the pods changes. The values depend only on the pods. */
const known = new WeakMap<Int32Array, Known>();

interface Known {
  readonly ranked: RankedPods;
  /** Milliseconds since the epoch; the order is valid for later times. */
  readonly validAfter: number;
}

/**
 * Ranks the pods of a node: by priority, then by start time, the earliest first. A pod without a start time counts as started
 * now; of two such pods, the later one in the node's order is more important, as in upstream's sort. Equal pods keep the node's
 * order (upstream's sort guarantees this only for up to twelve). Upstream's nodes have their pods in the order in which they were
 * told of them, which nobody knows: here it is that of their names, so that a state gives the same answer however it was loaded.
 *
 * @param now milliseconds since the epoch
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/util/utils.go, `MoreImportantPod`.
 */
export function rankedPods({ pods, nodes }: ClusterState, node: number, now: number): RankedPods {
  const onNode = nodes.podsOf(node);
  const before = known.get(onNode);
  if (before !== undefined && before.validAfter < now) return before.ranked;
  const made = ranking.rank(pods, onNode, now);
  if (made.validAfter < now) known.set(onNode, made);
  return made.ranked;
}

/** Up to this many pods are sorted by insertion, which is several times as fast as `sort` with a callback. */
const FEW = 100;

const NO_PODS: Int32Array = new Int32Array(0);

/** Sorts the pods of one node after another in the same memory. */
class Ranking {
  // By place in the node's list.
  private priorities = new Float64Array(0);
  /** Milliseconds since the epoch; NaN for a pod that has not started. */
  private starts = new Float64Array(0);
  /** Places in the node's list, that of the most important pod first. */
  private order = new Int32Array(0);
  private now = 0;
  private pods: PodTable | undefined;
  private onNode = NO_PODS;

  rank(pods: PodTable, onNode: Int32Array, now: number): Known {
    if (onNode.length > this.order.length) this.grow(onNode.length);
    this.now = now;
    this.pods = pods;
    this.onNode = onNode;
    const { priorities, starts, order } = this;
    let count = 0;
    let latest = Number.NEGATIVE_INFINITY;
    let isUnstarted = false;
    for (let place = 0; place < onNode.length; place++) {
      const pod = onNode[place]!;
      if (!pods.active(pod)) continue;
      const startedAt = pods.startedAt(pod);
      if (Number.isNaN(startedAt)) isUnstarted = true;
      else if (startedAt > latest) latest = startedAt;
      priorities[place] = pods.priority(pod);
      starts[place] = startedAt;
      order[count++] = place;
    }
    if (count > FEW) order.subarray(0, count).sort((a, b) => this.compare(a, b));
    else this.insertInOrder(count);
    const ranked: number[] = [];
    const rankedPriorities: number[] = [];
    for (let rank = 0; rank < count; rank++) {
      ranked.push(onNode[order[rank]!]!);
      rankedPriorities.push(priorities[order[rank]!]!);
    }
    // They would keep the state in memory.
    this.pods = undefined;
    this.onNode = NO_PODS;
    return {
      // If all pods have started, the order does not depend on the time.
      validAfter: isUnstarted ? latest : Number.NEGATIVE_INFINITY,
      ranked: new RankedPods(ranked, rankedPriorities),
    };
  }

  /** Negative if the pod at place `a` is more important than the one at place `b`. */
  private compare(a: number, b: number): number {
    const { priorities, starts, now } = this;
    if (priorities[a] !== priorities[b]) return priorities[b]! - priorities[a]!;
    const startA = starts[a]!;
    const startB = starts[b]!;
    const noA = Number.isNaN(startA);
    const noB = Number.isNaN(startB);
    if (noA && noB) return this.byName(b, a);
    return (noA ? now : startA) - (noB ? now : startB) || this.byName(a, b);
  }

  private byName(a: number, b: number): number {
    return comparePodNames(this.pods!, this.onNode[a]!, this.onNode[b]!);
  }

  private insertInOrder(count: number): void {
    const { order } = this;
    for (let next = 1; next < count; next++) {
      const place = order[next]!;
      let at = next;
      for (; at > 0 && this.compare(place, order[at - 1]!) < 0; at--) order[at] = order[at - 1]!;
      order[at] = place;
    }
  }

  private grow(least: number): void {
    const size = Math.max(least, 2 * this.order.length);
    this.priorities = new Float64Array(size);
    this.starts = new Float64Array(size);
    this.order = new Int32Array(size);
  }
}

const ranking = new Ranking();
