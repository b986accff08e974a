import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { ResourceQuota } from '../../core/kubernetes/objects/quota.js';
import { knownUsage } from '../../core/quota/quota-standing.js';
import type { QuotaUsages } from '../../core/quota/step-quota-usage.js';

/**
 * The quotas of a namespace as they would be right after the controller recounts them; what the state does not show
 * stays unchanged.
 */
export function recounted(usages: QuotaUsages, namespace: string): readonly ResourceQuota[] {
  return (usages.byNamespace.get(namespace) ?? []).map((row) => {
    const usage = usages.usages[row]!;
    const used = usage.resources().flatMap((resource) => {
      const amount = knownUsage(resource, usages.state).used ?? resource.reported;
      return amount === undefined ? [] : [[resource.resource, amount.toString()] as const];
    });
    const { quota } = usage;
    return { ...quota, status: { hard: quota.spec?.hard ?? {}, used: Object.fromEntries(used) } };
  });
}

/** The stored quotas of a namespace in the order in which admission checks them, by name. */
export function stored(state: ClusterState, usages: QuotaUsages, namespace: string): readonly ResourceQuota[] {
  return (usages.byNamespace.get(namespace) ?? []).map((row) => usages.usages[row]!.quota);
}
