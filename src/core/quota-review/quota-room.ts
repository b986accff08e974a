import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import { podQuotaUsage } from '../quota/pod-usage.js';
import { quotaApplies } from '../quota/quota-match.js';
import { scopeFactsOf } from '../quota/scopes.js';
import { howManyFit } from './how-many-fit.js';

/** The remainder of one resource of a quota for pods of one kind. */
export interface QuotaRoom {
  readonly quota: string;
  readonly resource: string;
  /** `status.hard` and `status.used`, which admission uses. */
  readonly hard: Quantity;
  readonly used: Quantity;
  readonly perPod: Quantity;
  /** Number of such pods that fit, by this resource alone. */
  readonly fits: number;
}

/** A number of a quota that is too low, and the minimum that it would have to be. */
export interface QuotaRaise {
  readonly quota: string;
  readonly resource: string;
  readonly from: Quantity;
  readonly to: Quantity;
}

/**
 * The remainders of the quotas of a namespace for identical pods, tightest first; equally tight ones in the order of
 * the quotas.
 *
 * @param pod after admission
 * @param now in milliseconds since the epoch
 * @throws QuotaScopeError for an invalid scope, at which admission fails earlier
 */
export function quotaRooms(
  quotas: readonly ResourceQuota[],
  pod: Pod,
  { now, rules }: { readonly now: number; readonly rules: KubernetesRules },
): readonly QuotaRoom[] {
  const facts = scopeFactsOf(pod);
  const usage = podQuotaUsage(pod, now, rules);
  return quotas
    .filter((quota) => quotaApplies(quota, facts, rules))
    .flatMap(({ metadata: { name: quota }, status }) => {
      const reported = parseResourceList(status?.used);
      return [...parseResourceList(status?.hard)].flatMap(([resource, hard]) => {
        const perPod = usage.get(resource);
        if (perPod === undefined || perPod.sign() <= 0) return [];
        const used = reported.get(resource) ?? Quantity.ZERO;
        return [{ quota, resource, hard, used, perPod, fits: howManyFit(hard, used, perPod) }];
      });
    })
    .sort((a, b) => a.fits - b.fits);
}

/** The numbers that would have to be raised for this many pods, each one necessary, all together sufficient. */
export function quotaRaises(rooms: readonly QuotaRoom[], wanted: number): readonly QuotaRaise[] {
  return rooms
    .filter(({ fits }) => fits < wanted)
    .map(({ quota, resource, hard, used, perPod }) => ({
      quota,
      resource,
      from: hard,
      to: used.add(perPod.times(wanted)),
    }));
}

/** The quotas with this many pods charged to them; negative counts subtract charges. */
export function withCharges(
  quotas: readonly ResourceQuota[],
  rooms: readonly Pick<QuotaRoom, 'quota' | 'resource' | 'perPod'>[],
  count: number,
): readonly ResourceQuota[] {
  if (count === 0) return quotas;
  const byQuota = new Map<string, (typeof rooms)[number][]>();
  for (const room of rooms) {
    const own = byQuota.get(room.quota);
    if (own === undefined) byQuota.set(room.quota, [room]);
    else own.push(room);
  }
  return quotas.map((quota) => {
    const own = byQuota.get(quota.metadata.name);
    if (own === undefined) return quota;
    const used = parseResourceList(quota.status?.used);
    for (const { resource, perPod } of own) {
      const before = used.get(resource) ?? Quantity.ZERO;
      const charge = perPod.times(Math.abs(count));
      used.set(resource, count > 0 ? before.add(charge) : before.sub(charge));
    }
    const texts = Object.fromEntries([...used].map(([name, amount]) => [name, amount.toString()]));
    return { ...quota, status: { ...quota.status, used: texts } };
  });
}
