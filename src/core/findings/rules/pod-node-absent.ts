import type { ClusterRule } from '../cluster-rule.js';
import { OccurrenceCounter } from '../occurrence-counter.js';

/** Pods whose node is not in the state, one finding per node. */
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
    message: `Pods are bound to node ${name}, which is not stored: it was deleted, or the dump does not include it. These pods use no resources of any stored node.`,
    suggestions: [{ text: 'Dump nodes and pods at the same time.' }],
    occurrences: counter.result,
  }));
};
