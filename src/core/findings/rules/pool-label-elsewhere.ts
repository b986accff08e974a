import { poolsIn } from '../../pools/pools-in.js';
import type { ClusterRule } from '../cluster-rule.js';
import { OccurrenceCounter } from '../occurrence-counter.js';

/** Nodes outside a declared pool that carry all of its labels: the scheduler can place the pool's pods on them. */
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
        message: `Nodes that pool ${pool.name} does not select carry ${wanted.map(([key, value]) => `${key}=${value}`).join(',')}, which is all that its pods require: they can be scheduled there.`,
        suggestions: [{ text: 'Remove the label from these nodes, or change the selector of the pool.' }],
        occurrences: counter.result,
      },
    ];
  });
