import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { parseResourceList, type ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import type { Quantity } from '../kubernetes/quantity.js';
import { podQuotaResources } from './quota-resources.js';
import { matchesScopes, scopesOf, type ScopeFacts } from './scopes.js';

/**
 * Whether a quota applies to a pod at admission: it bounds something that pods are charged to, and the pod is within all of its
 * scopes (`generic.Matches`, k8s.io/apiserver v0.36.2, pkg/quota/v1/generic/evaluator.go).
 *
 * What it bounds is read from `status.hard`: a quota that the controller has not seen yet applies to nothing.
 *
 * @throws QuotaScopeError for a scope that cannot be matched
 */
export function quotaApplies(quota: Pick<ResourceQuota, 'spec' | 'status'>, facts: ScopeFacts): boolean {
  const within = matchesScopes(facts, scopesOf(quota));
  return within && podQuotaResources(Object.keys(quota.status?.hard ?? {})).length > 0;
}

/** How a further charge compares with what a quota has left. */
export interface QuotaFit {
  /** The part of the charge that the quota bounds. */
  readonly requested: ResourceAmounts;
  /** `status.used` with the charge added, all resources of it. */
  readonly used: ResourceAmounts;
  /** The resources of `requested` that would then be above `status.hard`, in byte order; none where it fits. */
  readonly exceeded: readonly string[];
}

/**
 * Adds a charge to what a quota has used. Only resources that are charged can be exceeded: a quota that is overdrawn already
 * does not keep out a pod that takes nothing more of that resource.
 *
 * @throws QuantityError for a text that is no quantity
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
