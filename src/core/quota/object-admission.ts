import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import { quoteGo } from '../kubernetes/go-text.js';
import { KINDS } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { parseResourceList, type ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import type { ChargingCluster } from './counted-objects.js';
import { countedObjects } from './object-usage.js';
import { NAME } from './quota-admission.js';
import { quotaFit } from './quota-match.js';
import { scopesOf } from './scopes.js';

/** What an object other than a pod is charged of the resources that a quota limits. Quotas with scopes do not apply. */
export function objectCharge(
  quota: ResourceQuota,
  object: KubernetesObject,
  cluster: ChargingCluster,
): ResourceAmounts {
  const charge: ResourceAmounts = new Map();
  if (scopesOf(quota).length > 0) return charge;
  for (const resource of Object.keys(quota.status?.hard ?? {})) {
    const counted = countedObjects(resource, cluster);
    if (counted?.kind !== object.kind) continue;
    const amount = counted.charge(object);
    if (amount !== undefined) charge.set(resource, amount);
  }
  return charge;
}

/**
 * Charges a new object other than a pod.
 *
 * Source: k8s.io/apiserver v0.36.2, pkg/admission/plugin/resourcequota/controller.go, `CheckRequest`.
 *
 * @param quotas every quota of the object's namespace
 * @returns the quotas in the given order, with the object charged to their `status.used`
 * @throws {AdmissionRefusal}
 */
export function admitObject(
  quotas: readonly ResourceQuota[],
  { kind, metadata: { name } }: KubernetesObject,
  chargeOf: (quota: ResourceQuota) => ResourceAmounts,
): readonly ResourceQuota[] {
  return quotas.map((quota) => {
    const charge = chargeOf(quota);
    if (charge.size === 0) return quota;
    const used = quota.status?.used ?? {};
    const bounded = [...charge.keys()].sort();
    if (bounded.some((resource) => !Object.hasOwn(used, resource))) {
      const unknown = `status unknown for quota: ${quota.metadata.name}, resources: ${bounded.join(',')}`;
      throw forbidden(kind, name, unknown);
    }
    const fit = quotaFit(quota, charge);
    if (fit.exceeded.length > 0) throw forbidden(kind, name, exceededText(quota, fit.requested, fit.exceeded));
    return withUsed(quota, fit.used);
  });
}

/** A quota with less used, of the resources that its status has. */
export function lowered(quota: ResourceQuota, usage: ReadonlyMap<string, Quantity>): ResourceQuota {
  const used = parseResourceList(quota.status?.used);
  for (const [name, amount] of usage) {
    const before = used.get(name);
    if (before !== undefined) used.set(name, before.sub(amount));
  }
  return withUsed(quota, used);
}

/** A quota with another `status.used`. */
export const withUsed = (quota: ResourceQuota, used: ResourceAmounts): ResourceQuota => ({
  ...quota,
  status: {
    ...quota.status,
    used: Object.fromEntries([...used].map(([name, amount]) => [name, amount.toString()])),
  },
});

function exceededText(
  { metadata: { name }, status }: ResourceQuota,
  requested: ResourceAmounts,
  resources: readonly string[],
): string {
  const text = (amounts: ResourceAmounts): string =>
    resources.map((resource) => `${resource}=${(amounts.get(resource) ?? Quantity.ZERO).toString()}`).join(',');
  const [used, hard] = [parseResourceList(status?.used), parseResourceList(status?.hard)];
  return `exceeded quota: ${name}, requested: ${text(requested)}, used: ${text(used)}, limited: ${text(hard)}`;
}

function forbidden(kind: string, name: string, reason: string): AdmissionRefusal {
  return new AdmissionRefusal(NAME, 403, reason, `${resourceOf(kind)} ${quoteGo(name)} is forbidden: ${reason}`);
}

/** `deployments.apps`: the resource of a kind with its group. */
export function resourceOf(kind: string): string {
  const info = KINDS.find((known) => known.kind === kind);
  const [version = ''] = info?.apiVersions ?? [];
  const group = version.includes('/') ? `.${version.slice(0, version.indexOf('/'))}` : '';
  return `${info?.plural ?? kind.toLowerCase()}${group}`;
}
