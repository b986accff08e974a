import { node, pod } from '../support/dumps.js';
import type { ListedNode } from './rendered-node.js';

export const CLUSTER = 'soak';
export const BASE = `/api/v1/clusters/${CLUSTER}`;

export const NODE_NAMES: readonly string[] = Array.from({ length: 20 }, (_, index) => `node-${index}`);

/** Taints whose key has this prefix never reach the cluster: no snapshot shows them. */
export const NEVER = 'soak/never-';

const PODS = Array.from({ length: 60 }, (_, index) =>
  pod(
    `soak/pod-${index}`,
    NODE_NAMES[index % NODE_NAMES.length]!,
    index % 3 === 0 ? { tolerations: [{ operator: 'Exists' }] } : {},
    { kind: 'ReplicaSet', name: `set-${index % 6}` },
  ),
);

/** The cluster before the first change. */
export const FIRST_NODES: readonly object[] = NODE_NAMES.map((name) =>
  node(name, { metadata: { name, labels: { 'kubernetes.io/hostname': name } } }),
);

/** Nodes as the cluster itself would show them after all changes, except those that never reach it. */
export function nodesOfDump(listed: readonly ListedNode[]): readonly object[] {
  return listed.map(({ name, labels, unschedulable, taints }) => {
    const shown = taints
      .filter(({ key }) => !key.startsWith(NEVER))
      .map(({ key, value, effect, timeAdded }) => ({
        key,
        ...(value !== '' && { value }),
        effect,
        ...(timeAdded !== null && { timeAdded }),
      }));
    const spec = { ...(shown.length > 0 && { taints: shown }), ...(unschedulable && { unschedulable }) };
    return node(name, { metadata: { name, labels }, spec });
  });
}

export function dumpOf(nodes: readonly object[]): object {
  return { apiVersion: 'v1', kind: 'List', items: [...nodes, ...PODS] };
}
