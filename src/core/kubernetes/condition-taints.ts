import type { Condition } from './objects/pod.js';
import type { Taint } from './objects/taints.js';
import { matchesTaint, UNSCHEDULABLE_TAINT } from './taint.js';

/** The taint keys for a node whose kubelet reports that it is not ready, and for one whose kubelet stopped reporting. */
export const NOT_READY = 'node.kubernetes.io/not-ready';
export const UNREACHABLE = 'node.kubernetes.io/unreachable';

/** `NotReadyTaintTemplate` and `UnreachableTaintTemplate`. */
export const NOT_READY_NO_EXECUTE: Taint = { key: NOT_READY, effect: 'NoExecute' };
export const UNREACHABLE_NO_EXECUTE: Taint = { key: UNREACHABLE, effect: 'NoExecute' };

/** Condition type, status and the resulting taint key (`nodeConditionToTaintKeyStatusMap`). */
const RULES: readonly (readonly [type: string, status: string, key: string])[] = [
  ['Ready', 'False', NOT_READY],
  ['Ready', 'Unknown', UNREACHABLE],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
];

/** The condition that causes the taint with this key; undefined for other keys. */
export function conditionOfTaint(key: string): { readonly type: string; readonly status: string } | undefined {
  const rule = RULES.find(([, , candidate]) => candidate === key);
  return rule === undefined ? undefined : { type: rule[0], status: rule[1] };
}

/** Whether only the controller decides about a taint: a NoSchedule taint for a condition or the cordon. */
export function isManagedNoSchedule({ key, effect }: Taint): boolean {
  return effect === 'NoSchedule' && (key === UNSCHEDULABLE_TAINT.key || conditionOfTaint(key) !== undefined);
}

/**
 * The NoSchedule taints that result from a node's conditions and its cordon, in the order of the conditions, the cordon last.
 * A pressure condition with status Unknown results in none.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle/node_lifecycle_controller.go, `doNoScheduleTaintingPass`.
 */
export function conditionTaints(conditions: readonly Condition[], unschedulable: boolean): readonly Taint[] {
  const taints: Taint[] = [];
  for (const { type, status } of conditions) {
    for (const [ofType, ofStatus, key] of RULES) {
      if (ofType === type && ofStatus === status) taints.push({ key, effect: 'NoSchedule' });
    }
  }
  if (unschedulable) taints.push(UNSCHEDULABLE_TAINT);
  return taints;
}

/**
 * A node's taints after the controller has processed those with NoSchedule: missing ones are appended, managed ones without a
 * cause are removed, and all others keep their position. Returns the same list if nothing changes.
 *
 * Only keys and effects are compared: a managed taint to which another client has given a value remains while its condition
 * holds.
 *
 * Source: see `conditionTaints`; and pkg/controller/util/node/controller_utils.go, `SwapNodeControllerTaint`.
 */
export function reconcileNoSchedule(
  taints: readonly Taint[],
  conditions: readonly Condition[],
  unschedulable: boolean,
  timeAdded: string,
): readonly Taint[] {
  const wanted = conditionTaints(conditions, unschedulable);
  if (wanted.length === 0 && taints.length === 0) return taints;
  const missing = wanted.filter((taint) => !taints.some((present) => matchesTaint(present, taint)));
  const excess = taints.filter(
    (taint) => isManagedNoSchedule(taint) && !wanted.some((want) => matchesTaint(want, taint)),
  );
  return missing.length === 0 && excess.length === 0 ? taints : swapTaints(taints, missing, excess, timeAdded);
}

/** The NoExecute taint for a Ready status, and the one that it excludes; undefined for a ready node. */
export function noExecuteOf(ready: string): { readonly taint: Taint; readonly opposite: Taint } | undefined {
  if (ready === 'False') return { taint: NOT_READY_NO_EXECUTE, opposite: UNREACHABLE_NO_EXECUTE };
  if (ready === 'Unknown') return { taint: UNREACHABLE_NO_EXECUTE, opposite: NOT_READY_NO_EXECUTE };
  return undefined;
}

/**
 * Adds taints, then removes others. An existing taint with the same key and effect is replaced at its position, including
 * value and time.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/util/taints/taints.go, `AddOrUpdateTaint` and `DeleteTaint`.
 */
export function swapTaints(
  taints: readonly Taint[],
  add: readonly Taint[],
  remove: readonly Taint[],
  timeAdded: string,
): readonly Taint[] {
  let after = taints;
  for (const { key, effect } of add) {
    const taint: Taint = { key, effect, timeAdded };
    const present = after.some((candidate) => matchesTaint(candidate, taint));
    after = present
      ? after.map((candidate) => (matchesTaint(candidate, taint) ? taint : candidate))
      : [...after, taint];
  }
  return after.filter((taint) => !remove.some((unwanted) => matchesTaint(unwanted, taint)));
}
