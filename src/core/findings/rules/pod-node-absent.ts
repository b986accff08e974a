import type { ClusterRule } from '../cluster-rule.js';
import { OccurrenceCounter } from '../occurrence-counter.js';

/** Pods whose node is not in the state, node by node. */
export const podNodeAbsent: ClusterRule = ({ state: { pods } }) => {
  const byNode = new Map<string, OccurrenceCounter>();
  for (let index = 0; index < pods.count; index++) {
    if (pods.nodeIndex(index) !== -1) continue;
    const name = pods.nodeName(index);
    if (name === '') continue;
    const counter = byNode.get(name) ?? new OccurrenceCounter('Pod');
    byNode.set(name, counter);
    counter.add(pods.key(index));
  }
  return [...byNode].map(([name, counter]) => ({
    code: 'pod-node-absent',
    severity: 'warning',
    subject: { kind: 'Node', name },
    field: 'spec.nodeName',
    pointer: '/spec/nodeName',
    message: `Pods are bound to node ${name}, which is not stored: it was deleted, or the dump left it out. They take no room on any node.`,
    suggestions: [{ text: 'Take the dump of nodes and pods at one time.' }],
    occurrences: counter.result,
  }));
};
