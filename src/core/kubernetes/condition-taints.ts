import type { Condition } from './objects/pod.js';
import type { Taint } from './objects/taints.js';
import { matchesTaint, UNSCHEDULABLE_TAINT } from './taint.js';

/** The keys of the taints that a node gets when its kubelet reports not ready, and when it goes silent. */
export const NOT_READY = 'node.kubernetes.io/not-ready';
export const UNREACHABLE = 'node.kubernetes.io/unreachable';

/** `NotReadyTaintTemplate` and `UnreachableTaintTemplate`. */
export const NOT_READY_NO_EXECUTE: Taint = { key: NOT_READY, effect: 'NoExecute' };
export const UNREACHABLE_NO_EXECUTE: Taint = { key: UNREACHABLE, effect: 'NoExecute' };

/** Condition type, status and the key that follows (`nodeConditionToTaintKeyStatusMap`). */
const RULES: readonly (readonly [type: string, status: string, key: string])[] = [
  ['Ready', 'False', NOT_READY],
  ['Ready', 'Unknown', UNREACHABLE],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
];

/** The condition that calls for the taint of this key; undefined for a key that follows from none. */
export function conditionOfTaint(key: string): { readonly type: string; readonly status: string } | undefined {
  const rule = RULES.find(([, , candidate]) => candidate === key);
  return rule === undefined ? undefined : { type: rule[0], status: rule[1] };
}

/** Whether the controller alone decides if a node carries a taint: a NoSchedule one for a condition or the cordon. */
export function isManagedNoSchedule({ key, effect }: Taint): boolean {
  return effect === 'NoSchedule' && (key === UNSCHEDULABLE_TAINT.key || conditionOfTaint(key) !== undefined);
}

/**
 * The NoSchedule taints that a node's conditions and its cordon call for, in the order of the conditions, the cordon last. A
 * pressure condition that is Unknown calls for none.
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
 * A node's taints after the controller has seen to those with NoSchedule: what is missing stands at the end, managed ones that
 * nothing calls for are gone, everything else is where it was. The same list where nothing is to be done.
 *
 * Keys and effects are compared, not values: a managed taint with a value that somebody gave it stays while its condition holds.
 *
 * Source: as `conditionTaints`; and pkg/controller/util/node/controller_utils.go, `SwapNodeControllerTaint`.
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

/** The NoExecute taint that stands for a Ready status, and the one that excludes it; undefined where the node is ready. */
export function noExecuteOf(ready: string): { readonly taint: Taint; readonly opposite: Taint } | undefined {
  if (ready === 'False') return { taint: NOT_READY_NO_EXECUTE, opposite: UNREACHABLE_NO_EXECUTE };
  if (ready === 'Unknown') return { taint: UNREACHABLE_NO_EXECUTE, opposite: NOT_READY_NO_EXECUTE };
  return undefined;
}

/**
 * Adds taints, then removes others. One that is there already (by key and effect) is written over in its place, value and time.
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
