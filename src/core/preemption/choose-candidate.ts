import type { PodTable } from '../cluster/pod-table.js';
import type { PreemptionCandidate } from './select-victims.js';

/** What makes every priority count as at least 1, so that fewer victims are better also where priorities are negative. */
const OFFSET = 2 ** 31;

/**
 * The best of the candidates, in their order: fewest victims that a budget protects; then the lowest priority of the most important
 * victim; then the lowest sum of priorities, each counted from -2^31; then fewest victims; then the latest start, where a node's start
 * is the earliest among its victims of the highest priority. Those that are equal in all of it are all given: upstream takes any.
 *
 * @param now milliseconds since 1970, when pods without a start time count as started
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/preemption/preemption.go, `pickOneNodeForPreemption`.
 */
export function bestCandidates(
  pods: PodTable,
  candidates: readonly PreemptionCandidate[],
  now: number,
): readonly PreemptionCandidate[] {
  const criteria: readonly ((candidate: PreemptionCandidate) => number)[] = [
    ({ pdbViolations }) => pdbViolations,
    ({ victims }) => pods.priority(victims[0]!),
    ({ victims }) => victims.reduce((sum, pod) => sum + pods.priority(pod) + OFFSET, 0),
    ({ victims }) => victims.length,
    ({ victims }) => -earliestStart(pods, victims, now),
  ];
  let left = candidates;
  for (const cost of criteria) {
    if (left.length <= 1) break;
    const costs = left.map(cost);
    const least = costs.reduce((a, b) => (b < a ? b : a));
    left = left.filter((_, place) => costs[place] === least);
  }
  return left;
}

function earliestStart(pods: PodTable, victims: readonly number[], now: number): number {
  const highest = pods.priority(victims[0]!);
  let earliest = Number.POSITIVE_INFINITY;
  for (const pod of victims) {
    if (pods.priority(pod) !== highest) break;
    const startedAt = pods.startedAt(pod);
    earliest = Math.min(earliest, Number.isNaN(startedAt) ? now : startedAt);
  }
  return earliest;
}
