import type { ClusterState } from '../cluster/cluster-state.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { decides } from '../placement/plugins/taint-toleration/taint-toleration.js';
import type { EditedNodes } from './edited-nodes.js';
import { MOST_NAMES } from './feasibility.js';
import { counted, enumerated, type Warnings } from './warnings.js';

/** What marks a node of the control plane, as a label and as a taint. */
const KEYS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** Warns of edited nodes that belong to the control plane, and apart of those that lose the taint that keeps others off. */
export function controlPlaneWarnings(
  before: ClusterState,
  after: ClusterState,
  edited: EditedNodes,
  warnings: Warnings,
): void {
  const touched: string[] = [];
  const opened: string[] = [];
  for (const { name, was, is, taints } of edited.nodes) {
    const labelled = hasLabel(before.nodes.labels(was)) || hasLabel(after.nodes.labels(is));
    if (!labelled && !taints.before.some(isRole) && !taints.after.some(isRole)) continue;
    touched.push(name);
    if (taints.before.some(keepsOff) && !taints.after.some(keepsOff)) opened.push(name);
  }
  if (touched.length > 0) {
    warnings.add('control-plane-node', () => ({
      message:
        `The change touches ${counted(touched.length, 'node')} of the control plane: ${enumerated(touched)}. A NoExecute taint ` +
        'there also deletes what runs beside the static pods, such as DNS and network agents that do not tolerate it.',
      nodes: { total: touched.length, items: touched.slice(0, MOST_NAMES) },
    }));
  }
  if (opened.length > 0) {
    warnings.add('control-plane-opened', () => ({
      message:
        `${enumerated(opened)} would lose the taint of the control plane: ordinary workloads may then be placed beside the API ` +
        'server and etcd.',
      nodes: { total: opened.length, items: opened.slice(0, MOST_NAMES) },
    }));
  }
}

const hasLabel = (labels: Labels): boolean => KEYS.some((key) => Object.hasOwn(labels, key));
const isRole = ({ key }: Taint): boolean => KEYS.includes(key);
const keepsOff = (taint: Taint): boolean => isRole(taint) && decides(taint);
