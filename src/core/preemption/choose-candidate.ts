import type { PodTable } from '../cluster/pod-table.js';
import type { PreemptionCandidate } from './select-victims.js';

/**
 * The best candidates, in their order. Compared are, in turn: the fewest victims protected by a budget; the lowest priority of
 * the most important victim; the lowest sum of priorities, each increased by 2^31; the fewest victims; the latest start, where
 * a node's start is the earliest among its victims of the highest priority. All candidates that are equal in every respect are
 * returned: upstream takes any of them.
 *
 * @param now milliseconds since the epoch; a pod without a start time counts as started then
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/preemption/preemption.go, `pickOneNodeForPreemption`.
 */
export function bestCandidates(
  pods: PodTable,
  candidates: readonly PreemptionCandidate[],
  now: number,
): readonly PreemptionCandidate[] {
  let best: PreemptionCandidate[] = [];
  for (const candidate of candidates) {
    const [first] = best;
    const order = first === undefined ? -1 : compareCandidates(candidate, first);
    if (order < 0) best = [candidate];
    else if (order === 0) best.push(candidate);
  }
  if (best.length <= 1) return best;
  const starts = best.map(({ victims }) => earliestStart(pods, victims, now));
  const latest = starts.reduce((a, b) => (b > a ? b : a));
  return best.filter((_, place) => starts[place] === latest);
}

/** Compares everything except start times; negative if `a` is better. */
function compareCandidates(a: PreemptionCandidate, b: PreemptionCandidate): number {
  return (
    a.pdbViolations - b.pdbViolations ||
    a.highestPriority - b.highestPriority ||
    a.prioritySum - b.prioritySum ||
    a.victims.length - b.victims.length
  );
}

/** The values by which candidates are compared. */
export interface CandidateCosts {
  readonly pdbViolations: number;
  readonly highestPriority: number;
  /** The sum of the victims' priorities, each increased by 2^31. */
  readonly prioritySum: number;
  readonly victims: number;
  /** Milliseconds since the epoch. */
  readonly earliestStart: number;
}

/** @param now milliseconds since the epoch; a pod without a start time counts as started then */
export function candidateCosts(pods: PodTable, candidate: PreemptionCandidate, now: number): CandidateCosts {
  const { victims, pdbViolations, highestPriority, prioritySum } = candidate;
  return {
    pdbViolations,
    highestPriority,
    prioritySum,
    victims: victims.length,
    earliestStart: earliestStart(pods, victims, now),
  };
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
