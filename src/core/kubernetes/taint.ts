import type { Taint } from './objects/taints.js';

/** The effects that Kubernetes knows, in the order of its validation messages. */
export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

/** The taint equivalent to `spec.unschedulable` (the cordon), whether the node has it or not. */
export const UNSCHEDULABLE_TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/**
 * A taint in kubectl's notation: `key=value:Effect`, or `key:Effect` without a value. A stored taint without an effect
 * is `key`, or `key=value:`.
 *
 * Source: k8s.io/api v0.36.2, core/v1/taint.go, `Taint.ToString`.
 */
export function formatTaint(taint: Taint): string {
  const value = taint.value ?? '';
  const pair = value === '' ? taint.key : `${taint.key}=${value}`;
  return taint.effect === '' && value === '' ? pair : `${pair}:${taint.effect}`;
}

/** Whether two taints are the same to Kubernetes: only key and effect count (`Taint.MatchTaint`). */
export function matchesTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}
