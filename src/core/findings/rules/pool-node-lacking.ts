import { lackOf } from '../../pools/remaining-changes.js';
import { poolsIn } from '../../pools/pools-in.js';
import type { ClusterRule } from '../cluster-rule.js';
import { OccurrenceCounter } from '../occurrence-counter.js';

/**
 * Nodes of a declared pool without its taints, which are open to every pod, or without its labels, which its own pods
 * require.
 */
export const poolNodeLacking: ClusterRule = ({ state }) =>
  poolsIn(state).flatMap((pool) => {
    const { nodes } = state;
    const lacking = { taints: new OccurrenceCounter('Node'), labels: new OccurrenceCounter('Node') };
    for (let index = 0; index < nodes.count; index++) {
      if (!pool.nodeSelector.matches(nodes.labels(index))) continue;
      const lack = lackOf(pool, nodes.name(index), nodes.node(index).spec?.taints ?? [], nodes.labels(index));
      if (lack === undefined) continue;
      if (lack.taints.length > 0) lacking.taints.add(`${lack.node} (${lack.taints.join(', ')})`);
      if (lack.labels.length > 0) lacking.labels.add(`${lack.node} (${lack.labels.join(', ')})`);
    }
    return [
      {
        counter: lacking.taints,
        message: `Nodes of pool ${pool.name} lack a taint of the pool: pods that may not use the pool can be scheduled there.`,
      },
      {
        counter: lacking.labels,
        message: `Nodes of pool ${pool.name} lack a label of the pool: its own pods require the label and cannot be scheduled there.`,
      },
    ].flatMap(({ counter, message }) =>
      counter.result.count === 0
        ? []
        : [
            {
              code: 'pool-node-lacking' as const,
              severity: 'warning' as const,
              subject: { kind: 'Pool', name: pool.name },
              message,
              suggestions: [{ text: `Apply the remaining changes of pool ${pool.name}.` }],
              occurrences: counter.result,
            },
          ],
    );
  });
