import type { PodOutcome } from './fold-pod.js';

/**
 * What is to be said of a pod at a moment: `now`: it is marked for deletion by now, or should be; `at`: it will be; `never`: it
 * stays; `marked`: its deletion has been asked for already, by whomever.
 */
export const POD_ACTIONS = ['marked', 'now', 'at', 'never'] as const;
export type PodAction = (typeof POD_ACTIONS)[number];

/** @param asOf the moment, in milliseconds since the epoch */
export function actionOf(outcome: PodOutcome, terminating: boolean, asOf: number): PodAction {
  if (terminating) return 'marked';
  if (outcome.at === null) return 'never';
  return outcome.at.latest <= asOf ? 'now' : 'at';
}
