import { defined } from '../collections/defined.js';
import type { Timestamp } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { matchesTaint, UNSCHEDULABLE_TAINT } from '../kubernetes/taint.js';

/**
 * The taints of a node once the node lifecycle controller has seen it: the unschedulable taint at the end of a cordoned node's,
 * with the time, and off any other's, whoever put it there. A cordoned node that has it keeps it as it is.
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
