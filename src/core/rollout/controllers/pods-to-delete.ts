import type { LivePod } from '../live-pod.js';

/**
 * The pods that a ReplicaSet deletes first: those without a node, pending, or not ready; then by deletion cost; then those on nodes with
 * more pods of the same workload; then those that are ready, and were created, for a shorter time, by orders of magnitude.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/controller_utils.go, `ActivePodsWithRanks.Less`, and
 * pkg/controller/replicaset/replica_set.go, `getPodsToDelete`. What is equal in all of these is ordered at random there, and here by
 * creation, the latest first.
 *
 * @param related the active pods of the workload, of all ReplicaSets
 */
export function podsToDelete(
  pods: readonly LivePod[],
  related: readonly LivePod[],
  count: number,
  now: number,
): readonly LivePod[] {
  if (count >= pods.length) return pods;
  const onNode = new Map<number, number>();
  for (const { node } of related) if (node >= 0) onNode.set(node, (onNode.get(node) ?? 0) + 1);
  const rank = ({ node }: LivePod): number => (node < 0 ? 0 : (onNode.get(node) ?? 0));
  return [...pods]
    .sort(
      (a, b) =>
        Number(a.node >= 0) - Number(b.node >= 0) ||
        phaseOf(a) - phaseOf(b) ||
        Number(a.ready) - Number(b.ready) ||
        costOf(a) - costOf(b) ||
        rank(b) - rank(a) ||
        magnitude(now - a.readySince) - magnitude(now - b.readySince) ||
        magnitude(now - a.createdAt) - magnitude(now - b.createdAt) ||
        b.order - a.order,
    )
    .slice(0, count);
}

const phaseOf = ({ phase }: LivePod): number => (phase === 'Pending' ? 0 : 2);

const COST = 'controller.kubernetes.io/pod-deletion-cost';

function costOf({ stored }: LivePod): number {
  const text = stored.metadata.annotations?.[COST] ?? '0';
  return /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : 0;
}

/** `logarithmicRankDiff`: the logarithm to base 2 of the time in nanoseconds. */
const magnitude = (milliseconds: number): number =>
  Number.isNaN(milliseconds) ? 0 : Math.floor(Math.log2(Math.max(milliseconds, 1e-6) * 1e6));
