import { NOT_READY } from '../kubernetes/condition-taints.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { matchesTaint } from '../kubernetes/taint.js';

const NOT_READY_NO_SCHEDULE: Taint = { key: NOT_READY, effect: 'NoSchedule' };

/**
 * A new node as the TaintNodesByCondition admission plugin leaves it: tainted as not ready, behind its own taints, until the node
 * lifecycle controller has seen it ready.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/nodetaint/admission.go.
 */
export function taintNewNode(node: Node): Node {
  const { taints = [] } = node.spec ?? {};
  if (taints.some((taint) => matchesTaint(taint, NOT_READY_NO_SCHEDULE))) return node;
  return { ...node, spec: { ...node.spec, taints: [...taints, NOT_READY_NO_SCHEDULE] } };
}
