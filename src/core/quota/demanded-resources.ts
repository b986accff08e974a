import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { unspecifiedResources, type UnspecifiedResource } from './quota-constraints.js';
import { quotaApplies } from './quota-match.js';
import { podQuotaResources } from './quota-resources.js';
import { scopeFactsOf } from './scopes.js';

/**
 * What the first quota that demands anything of a pod's containers misses in them, as ResourceQuota complains of it; empty if none does.
 *
 * @param quotas those of the pod's namespace, in the order in which they are asked
 */
export function demandedByQuota(
  quotas: readonly ResourceQuota[],
  pod: Pod,
  rules: KubernetesRules,
): readonly UnspecifiedResource[] {
  const facts = scopeFactsOf(pod);
  for (const quota of quotas) {
    if (!quotaApplies(quota, facts, rules)) continue;
    const missing = unspecifiedResources(pod, podQuotaResources(Object.keys(quota.status?.hard ?? {}), rules));
    if (missing.length > 0) return missing;
  }
  return [];
}
