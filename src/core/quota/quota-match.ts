import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { parseResourceList, type ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import type { Quantity } from '../kubernetes/quantity.js';
import { podQuotaResources } from './quota-resources.js';
import { matchesScopes, scopesOf, type ScopeFacts } from './scopes.js';

/**
 * Whether a quota applies to a pod at admission: it limits something that pods are charged to, and the pod matches all
 * of its scopes (`generic.Matches`, k8s.io/apiserver v0.36.2, pkg/quota/v1/generic/evaluator.go).
 *
 * The limits are read from `status.hard`: a quota that the controller has not processed yet applies to nothing.
 *
 * @throws QuotaScopeError for an invalid scope
 */
export function quotaApplies(
  quota: Pick<ResourceQuota, 'spec' | 'status'>,
  facts: ScopeFacts,
  rules: KubernetesRules,
): boolean {
  const within = matchesScopes(facts, scopesOf(quota));
  return within && podQuotaResources(Object.keys(quota.status?.hard ?? {}), rules).length > 0;
}

/** The result of adding a charge to a quota. */
export interface QuotaFit {
  /** The part of the charge that the quota limits. */
  readonly requested: ResourceAmounts;
  /** `status.used` plus the charge, for all resources. */
  readonly used: ResourceAmounts;
  /** The resources of `requested` that would then exceed `status.hard`, in byte order; empty if the charge fits. */
  readonly exceeded: readonly string[];
}

/**
 * Adds a charge to the usage of a quota. Only charged resources can be exceeded: a quota that is already exceeded still
 * admits a pod that uses no more of that resource.
 *
 * @throws QuantityError for an invalid quantity
 */
export function quotaFit({ status }: Pick<ResourceQuota, 'status'>, charge: ReadonlyMap<string, Quantity>): QuotaFit {
  const hard = parseResourceList(status?.hard);
  const used = parseResourceList(status?.used);
  const requested: ResourceAmounts = new Map([...charge].filter(([name]) => hard.has(name)));
  const exceeded: string[] = [];
  for (const [name, amount] of requested) {
    const sum = used.get(name)?.add(amount) ?? amount;
    used.set(name, sum);
    if (sum.cmp(hard.get(name)!) > 0) exceeded.push(name);
  }
  return { requested, used, exceeded: exceeded.sort() };
}
