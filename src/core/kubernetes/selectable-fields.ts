import type { SelectableFields } from './field-selector.js';
import type { Node } from './objects/node.js';
import type { Pod } from './objects/pod.js';

/**
 * The fields of a node that a field selector may use.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/v1/conversion.go.
 */
export const NODE_FIELDS: SelectableFields<Node> = new Map([
  ['metadata.name', (node: Node): string => node.metadata.name],
  ['spec.unschedulable', (node: Node): string => String(node.spec?.unschedulable ?? false)],
]);

const nodeName = (pod: Pod): string => pod.spec.nodeName ?? '';

/**
 * The fields of a pod that a field selector may use, except its addresses (`status.podIP`), which are not kept; `spec.host` is
 * the former name of `spec.nodeName`.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/v1/conversion.go.
 */
export const POD_FIELDS: SelectableFields<Pod> = new Map([
  ['metadata.name', (pod: Pod): string => pod.metadata.name],
  ['metadata.namespace', (pod: Pod): string => pod.metadata.namespace ?? ''],
  ['spec.nodeName', nodeName],
  ['spec.host', nodeName],
  ['spec.restartPolicy', (pod: Pod): string => pod.spec.restartPolicy ?? ''],
  ['spec.schedulerName', (pod: Pod): string => pod.spec.schedulerName ?? ''],
  ['spec.serviceAccountName', (pod: Pod): string => pod.spec.serviceAccountName ?? ''],
  ['spec.hostNetwork', (pod: Pod): string => String(pod.spec.hostNetwork ?? false)],
  ['status.phase', (pod: Pod): string => pod.status?.phase ?? ''],
  ['status.nominatedNodeName', (pod: Pod): string => pod.status?.nominatedNodeName ?? ''],
]);
