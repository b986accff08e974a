import { poolsIn } from '../../pools/pools-in.js';
import type { ClusterRule } from '../cluster-rule.js';
import { byWorkload, poolGroups } from '../pool-groups.js';

/**
 * Pods on nodes of a declared pool that they may not use, by workload: they were there before the taints, or no taint
 * kept them off.
 */
export const poolUnauthorizedPod: ClusterRule = (cluster, gates) =>
  poolsIn(cluster.state).flatMap((pool) => {
    const { nodes, pods } = cluster.state;
    const ofPool = Uint8Array.from({ length: nodes.count }, (_, index) =>
      pool.nodeSelector.matches(nodes.labels(index)) ? 1 : 0,
    );
    const unauthorized = poolGroups(cluster, pool, gates)
      .filter(({ use }) => use === 'no')
      .flatMap((group) => group.pods.filter((pod) => ofPool[pods.nodeIndex(pod)] === 1));
    return byWorkload(cluster.state, pool, unauthorized).map(({ subject, occurrences }) => ({
      code: 'pool-unauthorized-pod' as const,
      severity: 'warning' as const,
      subject,
      message: `Pods run on nodes of pool ${pool.name}, which they may not use.`,
      suggestions: [
        { text: 'Delete them one by one once the nodes carry the taints of the pool, or add them to its users.' },
      ],
      occurrences,
    }));
  });
