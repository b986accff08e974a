import { isKeptTo } from '../../pools/admit-to-pools.js';
import { poolsIn } from '../../pools/pools-in.js';
import type { ClusterRule } from '../cluster-rule.js';
import { byWorkload, poolGroups } from '../pool-groups.js';

/** Pods that may use a declared pool and tolerate its taints, and that nothing keeps to its nodes: a toleration only permits. */
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
      message: `Pods tolerate pool ${pool.name}, which they may use, and demand none of its labels: a toleration only permits, and they may be put on any other node that they fit.`,
      suggestions: [
        {
          text: `Require ${Object.entries(pool.labels)
            .map(([key, value]) => `${key}=${value}`)
            .join(' and ')} in every term of the required node affinity, as the webhook does for new pods.`,
          nodeSelector: pool.labels,
        },
      ],
      occurrences,
    }));
  });
};
