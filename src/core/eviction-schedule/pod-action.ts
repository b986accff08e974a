import type { PodOutcome } from './fold-pod.js';

/**
 * The state of a pod at a given time:
 * `marked`: its deletion has already been requested, by any client.
 * `now`: it is marked for deletion by then, or is overdue.
 * `at`: it will be marked later.
 * `never`: it stays.
 */
export const POD_ACTIONS = ['marked', 'now', 'at', 'never'] as const;
export type PodAction = (typeof POD_ACTIONS)[number];

/** @param asOf the given time, in milliseconds since the epoch */
export function actionOf(outcome: PodOutcome, terminating: boolean, asOf: number): PodAction {
  if (terminating) return 'marked';
  if (outcome.at === null) return 'never';
  return outcome.at.latest <= asOf ? 'now' : 'at';
}
