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
  let left = candidates;
  for (const cost of CRITERIA) {
    if (left.length <= 1) break;
    const costs = left.map((candidate) => cost(pods, candidate, now));
    const least = costs.reduce((a, b) => (b < a ? b : a));
    left = left.filter((_, place) => costs[place] === least);
  }
  return left;
}

/** What a candidate is compared by. */
export interface CandidateCosts {
  readonly pdbViolations: number;
  readonly highestPriority: number;
  /** Each counted from -2^31. */
  readonly prioritySum: number;
  readonly victims: number;
  /** Milliseconds since 1970. */
  readonly earliestStart: number;
}

type Cost = (pods: PodTable, candidate: PreemptionCandidate, now: number) => number;

const highestPriority: Cost = (pods, { victims }) => pods.priority(victims[0]!);
const prioritySum: Cost = (pods, { victims }) => {
  let sum = victims.length * OFFSET;
  for (const pod of victims) sum += pods.priority(pod);
  return sum;
};

/** In the order in which they are compared, each only among those that are equal so far; less is better. */
const CRITERIA: readonly Cost[] = [
  (_, { pdbViolations }) => pdbViolations,
  highestPriority,
  prioritySum,
  (_, { victims }) => victims.length,
  (pods, { victims }, now) => -earliestStart(pods, victims, now),
];

/** @param now milliseconds since 1970, when pods without a start time count as started */
export function candidateCosts(pods: PodTable, candidate: PreemptionCandidate, now: number): CandidateCosts {
  const { victims, pdbViolations } = candidate;
  return {
    pdbViolations,
    highestPriority: highestPriority(pods, candidate, now),
    prioritySum: prioritySum(pods, candidate, now),
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
