import type { PodTable } from '../cluster/pod-table.js';

interface Ranked {
  readonly pod: number;
  readonly place: number;
  readonly priority: number;
  /** Milliseconds since 1970; NaN for a pod that has not started. */
  readonly startedAt: number;
}

/**
 * Pods of one node, the most important first: by priority, then by how long they have run. A pod without a start time counts as started
 * at the moment when it is looked at, so of two of them the later in the node's order is the more important, as it comes out of
 * upstream's sort. Pods that are equal keep their order (upstream's sort does not promise that for more than twelve).
 *
 * @param now milliseconds since 1970
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/util/utils.go, `MoreImportantPod`.
 */
export function byImportance(pods: PodTable, candidates: readonly number[], now: number): number[] {
  const ranked = candidates.map((pod, place): Ranked => ({
    pod,
    place,
    priority: pods.priority(pod),
    startedAt: pods.startedAt(pod),
  }));
  ranked.sort((a, b) => {
    if (a.priority !== b.priority) return b.priority - a.priority;
    const [noA, noB] = [Number.isNaN(a.startedAt), Number.isNaN(b.startedAt)];
    if (noA && noB) return b.place - a.place;
    return (noA ? now : a.startedAt) - (noB ? now : b.startedAt) || a.place - b.place;
  });
  return ranked.map(({ pod }) => pod);
}
