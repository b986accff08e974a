import { poolsIn } from '../../pools/pools-in.js';
import type { ClusterRule } from '../cluster-rule.js';
import { byWorkload, poolGroups } from '../pool-groups.js';
import { isKeyless } from '../toleration-text.js';

/** Pods that may not use a declared pool and tolerate its taints all the same, by name or with a wide `Exists`. */
export const poolIntruder: ClusterRule = (cluster, gates) => {
  const pools = poolsIn(cluster.state);
  return pools.flatMap((pool) => {
    const intruders = poolGroups(cluster, pool, gates).filter(({ use, tolerates }) => use === 'no' && tolerates);
    return [
      {
        groups: intruders.filter(({ spec }) => spec.tolerations?.some(isKeyless) === true),
        how: 'with a toleration that has no key',
      },
      { groups: intruders.filter(({ spec }) => spec.tolerations?.some(isKeyless) !== true), how: 'by name' },
    ].flatMap(({ groups, how }) =>
      byWorkload(
        cluster.state,
        pool,
        groups.flatMap((group) => group.pods),
      ).map(({ subject, occurrences }) => ({
        code: 'pool-intruder' as const,
        severity: 'warning' as const,
        subject,
        field: 'spec.tolerations',
        pointer: '/spec/tolerations',
        message: `Pods tolerate pool ${pool.name} ${how}, and may not use it: its taints do not keep them off.`,
        suggestions: [
          { text: 'Name the taints that the pods are meant to pass, or name the pods among the users of the pool.' },
        ],
        occurrences,
      })),
    );
  });
};
