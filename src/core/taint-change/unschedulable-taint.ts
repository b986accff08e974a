import { defined } from '../collections/defined.js';
import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { matchesTaint, UNSCHEDULABLE_TAINT } from '../kubernetes/taint.js';

/**
 * The taints of a node after the node lifecycle controller has processed it: the unschedulable taint is appended to those of a
 * cordoned node, with the time, and removed from any other node, whoever added it. A cordoned node that already has the taint
 * is unchanged.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/nodelifecycle/node_lifecycle_controller.go, `doNoScheduleTaintingPass`.
 */
export function withUnschedulableTaint(
  taints: readonly Taint[],
  unschedulable: boolean,
  now: Timestamp | undefined,
): readonly Taint[] {
  const has = taints.some((taint) => matchesTaint(taint, UNSCHEDULABLE_TAINT));
  if (has === unschedulable) return taints;
  if (!unschedulable) return taints.filter((taint) => !matchesTaint(taint, UNSCHEDULABLE_TAINT));
  return [...taints, { ...UNSCHEDULABLE_TAINT, ...defined({ timeAdded: now }) }];
}
