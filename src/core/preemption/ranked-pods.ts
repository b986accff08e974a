import type { ClusterState } from '../cluster/cluster-state.js';
import type { PodTable } from '../cluster/pod-table.js';

/** The active pods of a node, the most important first, by column. */
export class RankedPods {
  constructor(
    readonly pods: readonly number[],
    readonly priorities: readonly number[],
  ) {}

  /** How many of the first have at least a priority: those after them are of a lower one. */
  from(priority: number): number {
    const { priorities } = this;
    let first = 0;
    while (first < priorities.length && priorities[first]! >= priority) first++;
    return first;
  }
}

/** By a node's list of pods, which is the same in every state in which none of them has changed. Only what the pods are is kept by it. */
const known = new WeakMap<Int32Array, Known>();

interface Known {
  readonly ranked: RankedPods;
  /** Milliseconds since 1970; the order holds for moments after it. */
  readonly validAfter: number;
}

/**
 * Ranks the pods of a node: by priority, then by how long they have run. A pod without a start time counts as started at the moment when
 * it is looked at, so of two of them the later in the node's order is the more important, as it comes out of upstream's sort. Pods that
 * are equal keep their order (upstream's sort does not promise that for more than twelve).
 *
 * @param now milliseconds since 1970
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/util/utils.go, `MoreImportantPod`.
 */
export function rankedPods({ pods, nodes }: ClusterState, node: number, now: number): RankedPods {
  const onNode = nodes.podsOf(node);
  const before = known.get(onNode);
  if (before !== undefined && before.validAfter < now) return before.ranked;
  const made = rank(pods, onNode, now);
  if (made.validAfter < now) known.set(onNode, made);
  return made.ranked;
}

/** Up to so many are put in their places one after another, which is several times as fast as a sort that asks for each comparison. */
const FEW = 100;

function rank(pods: PodTable, onNode: Int32Array, now: number): Known {
  const active: number[] = [];
  const priorities: number[] = [];
  /** Milliseconds since 1970; NaN for a pod that has not started. */
  const starts: number[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  let isUnstarted = false;
  for (let place = 0; place < onNode.length; place++) {
    const pod = onNode[place]!;
    if (!pods.active(pod)) continue;
    const startedAt = pods.startedAt(pod);
    if (Number.isNaN(startedAt)) isUnstarted = true;
    else if (startedAt > latest) latest = startedAt;
    active.push(pod);
    priorities.push(pods.priority(pod));
    starts.push(startedAt);
  }
  /** Below zero where the pod at the one place is more important than that at the other. */
  const compare = (a: number, b: number): number => {
    const [priorityA, priorityB] = [priorities[a]!, priorities[b]!];
    if (priorityA !== priorityB) return priorityB - priorityA;
    const [startA, startB] = [starts[a]!, starts[b]!];
    const [noA, noB] = [Number.isNaN(startA), Number.isNaN(startB)];
    if (noA && noB) return b - a;
    return (noA ? now : startA) - (noB ? now : startB) || a - b;
  };
  const order: number[] = [];
  for (let place = 0; place < active.length; place++) order.push(place);
  if (order.length > FEW) order.sort(compare);
  else insertInOrder(order, compare);
  return {
    // Where all have started, the moment does not matter.
    validAfter: isUnstarted ? latest : Number.NEGATIVE_INFINITY,
    ranked: new RankedPods(
      order.map((place) => active[place]!),
      order.map((place) => priorities[place]!),
    ),
  };
}

function insertInOrder(order: number[], compare: (a: number, b: number) => number): void {
  for (let next = 1; next < order.length; next++) {
    const place = order[next]!;
    let at = next;
    for (; at > 0 && compare(place, order[at - 1]!) < 0; at--) order[at] = order[at - 1]!;
    order[at] = place;
  }
}
