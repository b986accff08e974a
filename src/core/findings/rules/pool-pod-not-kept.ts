import { isKeptTo } from '../../pools/admit-to-pools.js';
import { poolsIn } from '../../pools/pools-in.js';
import type { ClusterRule } from '../cluster-rule.js';
import { byWorkload, poolGroups } from '../pool-groups.js';

/**
 * Pods that may use a declared pool and tolerate its taints, but that nothing restricts to its nodes: a toleration only
 * permits.
 */
export const poolPodNotKept: ClusterRule = (cluster, gates) => {
  const pools = poolsIn(cluster.state);
  return pools.flatMap((pool) => {
    const loose = poolGroups(cluster, pool, gates)
      .filter(({ use, tolerates, spec }) => use === 'yes' && tolerates && !isKeptTo(spec, pools))
      .flatMap((group) => group.pods);
    return byWorkload(cluster.state, pool, loose).map(({ subject, occurrences }) => ({
      code: 'pool-pod-not-kept' as const,
      severity: 'info' as const,
      subject,
      field: 'spec.affinity',
      pointer: '/spec/affinity',
      message: `Pods tolerate pool ${pool.name}, which they may use, but require none of its labels: a toleration only permits, so they can also run on any other node that they fit.`,
      suggestions: [
        {
          text: `Require ${Object.entries(pool.labels)
            .map(([key, value]) => `${key}=${value}`)
            .join(' and ')} in every term of the required node affinity. The webhook does this for new pods.`,
          nodeSelector: pool.labels,
        },
      ],
      occurrences,
    }));
  });
};
