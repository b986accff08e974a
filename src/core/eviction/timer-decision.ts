import type { EvictionTime } from './eviction-time.js';

/** The timer of a pod's eviction, as the taint eviction controller holds it in memory. Moments are milliseconds since the epoch. */
export interface EvictionTimer {
  /** When the controller looked at the pod and set it. */
  readonly startedAt: number;
  readonly firesAt: number;
}

/**
 * What the controller does when it looks at a pod: deletes it at once, sets a timer, keeps the one that runs, or cancels it (also
 * where none runs).
 */
export type TimerDecision =
  { readonly do: 'delete' | 'keep' | 'cancel' } | { readonly do: 'start'; readonly firesAt: number };

const NANOSECONDS_A_MILLISECOND = 1e6;

/**
 * What the taint eviction controller does with a pod that it looks at, given what its tolerations and the node's taints say.
 *
 * A running timer is never changed: neither by a toleration made longer, shorter or zero, nor by another taint that is tolerated for
 * another time. It is cancelled when no NoExecute taint is left, when all that is left is tolerated for ever, and when something is
 * not tolerated, which deletes at once. Only a timer that was set at the very same moment is set again.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction/taint_eviction.go, `processPodOnNode`, `handleNodeUpdate`.
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
