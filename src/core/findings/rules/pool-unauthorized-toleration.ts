import { poolsIn } from '../../pools/pools-in.js';
import type { ClusterRule } from '../cluster-rule.js';
import { byWorkload, poolGroups } from '../pool-groups.js';
import { isKeyless } from '../toleration-text.js';

/** Pods that may not use a declared pool but tolerate its taints, by key or with a toleration without a key. */
export const poolUnauthorizedToleration: ClusterRule = (cluster, gates) => {
  const pools = poolsIn(cluster.state);
  return pools.flatMap((pool) => {
    const unauthorized = poolGroups(cluster, pool, gates).filter(({ use, tolerates }) => use === 'no' && tolerates);
    return [
      {
        groups: unauthorized.filter(({ spec }) => spec.tolerations?.some(isKeyless) === true),
        how: 'with a toleration that has no key',
      },
      { groups: unauthorized.filter(({ spec }) => spec.tolerations?.some(isKeyless) !== true), how: 'by key' },
    ].flatMap(({ groups, how }) =>
      byWorkload(
        cluster.state,
        pool,
        groups.flatMap((group) => group.pods),
      ).map(({ subject, occurrences }) => ({
        code: 'pool-unauthorized-toleration' as const,
        severity: 'warning' as const,
        subject,
        field: 'spec.tolerations',
        pointer: '/spec/tolerations',
        message: `Pods may not use pool ${pool.name} but tolerate its taints ${how}, so the taints do not keep them off.`,
        suggestions: [{ text: 'Tolerate only the intended taints, or add the pods to the users of the pool.' }],
        occurrences,
      })),
    );
  });
};
