import type { EvictionTime } from './eviction-time.js';

/**
 * The timer of a pod's eviction in the memory of the taint eviction controller. Times are milliseconds since the epoch.
 */
export interface EvictionTimer {
  /** When the controller checked the pod and set the timer. */
  readonly startedAt: number;
  readonly firesAt: number;
}

/**
 * What the controller does when it checks a pod: deletes it immediately, sets a timer, keeps the running one, or
 * cancels it (even if none runs).
 */
export type TimerDecision =
  { readonly do: 'delete' | 'keep' | 'cancel' } | { readonly do: 'start'; readonly firesAt: number };

const NANOSECONDS_A_MILLISECOND = 1e6;

/**
 * What the taint eviction controller does with a pod that it checks, given the result of its tolerations and the node's
 * taints.
 *
 * A running timer is never changed: neither by a toleration made longer, shorter or zero, nor by another taint that is
 * tolerated for a different time. It is cancelled if no NoExecute taint is left, if all that are left are tolerated
 * without a time limit, and if one is not tolerated, which deletes the pod immediately. Only a timer that was set at
 * the same time is set again.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction/taint_eviction.go, `processPodOnNode`,
 * `handleNodeUpdate`.
 */
export function decideTimer(eviction: EvictionTime, running: EvictionTimer | undefined, at: number): TimerDecision {
  if (eviction.action === 'none' || eviction.action === 'never') return CANCEL;
  if (eviction.untolerated !== undefined) return DELETE;
  if (running !== undefined && running.startedAt < at) return KEEP;
  if (eviction.action === 'now') return DELETE;
  return { do: 'start', firesAt: at + delayMsOf(eviction) };
}

/** The delay of a timed eviction in milliseconds. */
export const delayMsOf = ({ delay }: { readonly delay: bigint }): number => Number(delay) / NANOSECONDS_A_MILLISECOND;

const CANCEL: TimerDecision = { do: 'cancel' };
const DELETE: TimerDecision = { do: 'delete' };
const KEEP: TimerDecision = { do: 'keep' };
