import { poolsIn } from '../../pools/pools-in.js';
import type { ClusterRule } from '../cluster-rule.js';

/** A declared pool that selects no node: its pods are restricted to nodes that do not exist, and stay pending. */
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
      message: `${nodeSelector.toString()} selects no node: pods of pool ${name} require its labels and stay pending until nodes carry them.`,
      suggestions: [{ text: 'Label the intended nodes, or correct the selector of the pool.' }],
    }));
