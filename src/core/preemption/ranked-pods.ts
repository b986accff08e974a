import type { ClusterState } from '../cluster/cluster-state.js';
import type { PodTable } from '../cluster/pod-table.js';

/** The active pods of a node, the most important first, by column. */
export interface RankedPods {
  readonly pods: readonly number[];
  readonly priorities: readonly number[];
  readonly namespaces: readonly string[];
  readonly labelSetIds: readonly number[];
  /** How many of the first have at least a priority: those after them are of a lower one. */
  readonly from: (priority: number) => number;
}

/**
 * By a node's list of pods, which is the same in every state in which none of them has changed. Only what the pods are is kept by it, and
 * ids, which mean the same in all of these states.
 */
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

interface Entry {
  readonly pod: number;
  readonly place: number;
  readonly priority: number;
  /** Milliseconds since 1970; NaN for a pod that has not started. */
  readonly startedAt: number;
}

function rank(pods: PodTable, onNode: Int32Array, now: number): Known {
  const entries: Entry[] = [];
  let latest = Number.NEGATIVE_INFINITY;
  let isUnstarted = false;
  onNode.forEach((pod, place) => {
    if (!pods.active(pod)) return;
    const startedAt = pods.startedAt(pod);
    if (Number.isNaN(startedAt)) isUnstarted = true;
    else if (startedAt > latest) latest = startedAt;
    entries.push({ pod, place, priority: pods.priority(pod), startedAt });
  });
  entries.sort((a, b) => {
    if (a.priority !== b.priority) return b.priority - a.priority;
    const [noA, noB] = [Number.isNaN(a.startedAt), Number.isNaN(b.startedAt)];
    if (noA && noB) return b.place - a.place;
    return (noA ? now : a.startedAt) - (noB ? now : b.startedAt) || a.place - b.place;
  });
  const priorities = entries.map(({ priority }) => priority);
  return {
    // Where all have started, the moment does not matter.
    validAfter: isUnstarted ? latest : Number.NEGATIVE_INFINITY,
    ranked: {
      pods: entries.map(({ pod }) => pod),
      priorities,
      namespaces: entries.map(({ pod }) => pods.namespace(pod)),
      labelSetIds: entries.map(({ pod }) => pods.labelSetId(pod)),
      from: (priority) => {
        let first = 0;
        while (first < priorities.length && priorities[first]! >= priority) first++;
        return first;
      },
    },
  };
}
