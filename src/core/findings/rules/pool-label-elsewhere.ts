import { poolsIn } from '../../pools/pools-in.js';
import type { ClusterRule } from '../cluster-rule.js';
import { OccurrenceCounter } from '../occurrence-counter.js';

/** Nodes that carry every label of a declared pool and are none of its nodes: its pods may be put there. */
export const poolLabelElsewhere: ClusterRule = ({ state: { nodes }, state }) =>
  poolsIn(state).flatMap((pool) => {
    const counter = new OccurrenceCounter('Node');
    const wanted = Object.entries(pool.labels);
    for (let index = 0; index < nodes.count; index++) {
      const labels = nodes.labels(index);
      if (pool.nodeSelector.matches(labels)) continue;
      if (wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)) {
        counter.add(nodes.name(index));
      }
    }
    if (counter.result.count === 0) return [];
    return [
      {
        code: 'pool-label-elsewhere' as const,
        severity: 'warning' as const,
        subject: { kind: 'Pool', name: pool.name },
        message: `Nodes that pool ${pool.name} does not select carry ${wanted.map(([key, value]) => `${key}=${value}`).join(',')}, which is all that its pods demand: they may be put there.`,
        suggestions: [{ text: 'Take the label from these nodes, or let the pool select them.' }],
        occurrences: counter.result,
      },
    ];
  });
