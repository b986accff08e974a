import { counted } from '../collections/counted.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { decides } from '../placement/plugins/taint-toleration/taint-toleration.js';
import type { EditedNodes } from './edited-nodes.js';
import { MAX_NAMES } from './feasibility.js';
import { enumerated, type Warnings } from './warnings.js';

/** The keys of labels and taints that mark a control plane node. */
const KEYS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** Nodes between two steps of the generator. */
const STRIDE = 512;

/** Warns of edited control plane nodes, and separately of those that lose the taint that keeps other pods off. */
export function* stepControlPlaneWarnings(
  before: ClusterState,
  after: ClusterState,
  edited: EditedNodes,
  warnings: Warnings,
): Generator<undefined, void> {
  const touched: string[] = [];
  const opened: string[] = [];
  for (const [index, { name, was, is, taints }] of edited.nodes.entries()) {
    if (index % STRIDE === STRIDE - 1) yield undefined;
    const labelled = hasLabel(before.nodes.labels(was)) || hasLabel(after.nodes.labels(is));
    if (!labelled && !taints.before.some(isRole) && !taints.after.some(isRole)) continue;
    touched.push(name);
    if (taints.before.some(keepsOff) && !taints.after.some(keepsOff)) opened.push(name);
  }
  if (touched.length > 0) {
    warnings.add('control-plane-node', () => ({
      message:
        `The change touches ${counted(touched.length, 'node')} of the control plane: ${enumerated(touched)}. A NoExecute taint ` +
        'also deletes pods other than the static pods, such as DNS and network agents, if they do not tolerate it.',
      nodes: { total: touched.length, items: touched.slice(0, MAX_NAMES) },
    }));
  }
  if (opened.length > 0) {
    warnings.add('control-plane-opened', () => ({
      message:
        `${enumerated(opened)} would lose the control plane taint: ordinary workloads can then be scheduled next to the API ` +
        'server and etcd.',
      nodes: { total: opened.length, items: opened.slice(0, MAX_NAMES) },
    }));
  }
}

const hasLabel = (labels: Labels): boolean => KEYS.some((key) => Object.hasOwn(labels, key));
const isRole = ({ key }: Taint): boolean => KEYS.includes(key);
const keepsOff = (taint: Taint): boolean => isRole(taint) && decides(taint);
