import type { Taint } from './objects/taints.js';

/** The effects that Kubernetes knows, in the order in which its validation lists them. */
export const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

/** The taint that `spec.unschedulable` (the cordon) stands for, whether the node carries it or not. */
export const UNSCHEDULABLE_TAINT: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/**
 * A taint as kubectl prints it: `key=value:Effect`, `key:Effect` without a value. A stored taint without an effect is
 * `key`, or `key=value:`.
 *
 * Source: k8s.io/api v0.36.2, core/v1/taint.go, `Taint.ToString`.
 */
export function formatTaint(taint: Taint): string {
  const value = taint.value ?? '';
  const pair = value === '' ? taint.key : `${taint.key}=${value}`;
  return taint.effect === '' && value === '' ? pair : `${pair}:${taint.effect}`;
}

/** Whether two taints are the same to Kubernetes: by key and effect alone (`Taint.MatchTaint`). */
export function matchesTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}
