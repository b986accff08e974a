import { poolsIn } from '../../pools/pools-in.js';
import type { ClusterRule } from '../cluster-rule.js';

/** A declared pool that selects no node: its pods are kept to nodes that are not there, and stay pending. */
export const poolWithoutNodes: ClusterRule = ({ state: { nodes }, state }) =>
  poolsIn(state)
    .filter(({ nodeSelector }) => {
      for (let index = 0; index < nodes.count; index++) if (nodeSelector.matches(nodes.labels(index))) return false;
      return true;
    })
    .map(({ name, nodeSelector }) => ({
      code: 'pool-without-nodes' as const,
      severity: 'warning' as const,
      subject: { kind: 'Pool', name },
      message: `No node is selected by ${nodeSelector.toString()}: pods of pool ${name} demand its labels, and stay pending unless nodes come that carry them.`,
      suggestions: [{ text: 'Label the nodes that are meant, or correct what the pool selects.' }],
    }));
