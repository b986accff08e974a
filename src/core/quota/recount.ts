import { sameValue } from '../json/same-value.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { ContainerStatus, Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { parseResourceList, type ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isActiveForQuota, podQuotaUsage } from './pod-usage.js';
import { podQuotaResources } from './quota-resources.js';
import { sumOf } from './quota-usage.js';
import { isTerminating, matchesScopes, QuotaScopeError, scopeFactsOf, scopesOf } from './scopes.js';

export interface RecountOptions {
  /** In milliseconds since the epoch. */
  readonly now: number;
  /** What objects other than pods are charged to a resource; undefined if it is not known. */
  readonly others: (resource: string) => Quantity | undefined;
  /** The newest by default. */
  readonly rules: KubernetesRules;
}

/**
 * The `status.used` that the resource quota controller writes (`syncResourceQuota`, k8s.io/kubernetes v1.36.2,
 * pkg/controller/resourcequota/resource_quota_controller.go): for every resource of `spec.hard` the total of the
 * objects of the namespace; unknown values are unchanged.
 *
 * With an invalid scope no pod counts (`CalculateUsageStats`, k8s.io/apiserver v0.36.2,
 * pkg/quota/v1/generic/evaluator.go). Sums are written in the format of the first pod with a non-zero amount; upstream
 * adds pods in an undefined order.
 *
 * @param pods all pods of the quota's namespace, in the order in which they are added
 * @throws QuantityError for an invalid quantity
 */
export function recountQuota(quota: ResourceQuota, pods: Iterable<Pod>, options: RecountOptions): ResourceAmounts {
  const hard = Object.keys(quota.spec?.hard ?? {});
  const bounded = new Set(podQuotaResources(hard, options.rules));
  const counted = countPods(quota, bounded, pods, options);
  const reported = parseResourceList(quota.status?.used);
  const used: ResourceAmounts = new Map();
  for (const name of hard) {
    const amount = sumOf(counted.get(name), options.others(name)) ?? reported.get(name);
    if (amount !== undefined) used.set(name, amount);
  }
  return used;
}

function countPods(
  quota: ResourceQuota,
  resources: ReadonlySet<string>,
  pods: Iterable<Pod>,
  { now, rules }: RecountOptions,
): ResourceAmounts {
  const sums: ResourceAmounts = new Map([...resources].map((name) => [name, Quantity.ZERO]));
  const scopes = scopesOf(quota);
  try {
    for (const pod of pods) {
      if (!matchesScopes(scopeFactsOf(pod), scopes)) continue;
      for (const [name, amount] of podQuotaUsage(pod, now, rules)) {
        const sum = sums.get(name);
        if (sum !== undefined) sums.set(name, sum.add(amount));
      }
    }
  } catch (error) {
    if (!(error instanceof QuotaScopeError)) throw error;
  }
  return sums;
}

/**
 * Whether a change of a pod makes the controller recount its quotas (`DefaultUpdateFilter`, k8s.io/kubernetes v1.36.2,
 * pkg/quota/v1/install/update_filter.go): the pod ends or becomes overdue, enters or leaves the scope Terminating (since 1.33), or
 * the kubelet reports other resources of a container. A lower request in its spec is not enough: until another change,
 * the quota stays charged with the former request.
 *
 * New and deleted pods always cause a recount, and every quota is recounted every 5 minutes.
 *
 * @param now in milliseconds since the epoch
 */
export function causesRecount(before: Pod, after: Pod, now: number, { minor }: KubernetesRules): boolean {
  return (
    reportsOtherResources(before, after) ||
    (minor >= 33 && isTerminating(before.spec) !== isTerminating(after.spec)) ||
    (isActiveForQuota(before, now) && !isActiveForQuota(after, now))
  );
}

/** `hasResourcesChanged`: a status that did not exist before is not a change. */
function reportsOtherResources(before: Pod, after: Pod): boolean {
  const differs = (old: readonly ContainerStatus[] = [], now: readonly ContainerStatus[] = []): boolean =>
    old.some(({ name, resources }) => {
      const found = now.find((status) => status.name === name);
      return found !== undefined && !sameValue(resources, found.resources);
    });
  return (
    differs(before.status?.containerStatuses, after.status?.containerStatuses) ||
    differs(before.status?.initContainerStatuses, after.status?.initContainerStatuses)
  );
}
