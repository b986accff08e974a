import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import { countedObjects, type CountedObjects, type ObjectsByNamespace } from './object-usage.js';
import { scopesOf } from './scopes.js';
import type { CountedCharge, UsageSums } from './usage-sums.js';

/** One resource that a quota bounds. */
export interface ResourceUsage {
  readonly resource: string;
  /** `spec.hard`. */
  readonly hard: Quantity;
  /** What the objects of the state add up to; undefined where the state cannot tell. */
  readonly used: Quantity | undefined;
  /** `status.used`; undefined where it does not have the resource. */
  readonly reported: Quantity | undefined;
}

/** What a quota has used as counted, beside what its status says. Immutable. */
export class QuotaUsage {
  constructor(
    readonly quota: ResourceQuota,
    private readonly sums: UsageSums,
    /** What is used of resources that pods are not charged to, as far as the state can tell. */
    readonly objects: ReadonlyMap<string, Quantity>,
  ) {}

  /** How many pods are within the quota's scopes, those that have ended included. */
  get pods(): number {
    return this.sums.pods;
  }

  /** Every resource of `spec.hard`, in byte order. */
  resources(): readonly ResourceUsage[] {
    const reported = parseResourceList(this.quota.status?.used);
    return [...parseResourceList(this.quota.spec?.hard)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([resource, hard]) => ({
        resource,
        hard,
        used: this.sums.of(resource) ?? this.objects.get(resource),
        reported: reported.get(resource),
      }));
  }

  /** The same counts for the quota as it has become; it must bound the same resources within the same scopes. */
  of(quota: ResourceQuota): QuotaUsage {
    return quota === this.quota ? this : new QuotaUsage(quota, this.sums, this.objects);
  }

  withPods(pods: readonly CountedCharge[]): QuotaUsage {
    return new QuotaUsage(this.quota, this.sums.with(pods), this.objects);
  }

  withObjects(objects: ReadonlyMap<string, Quantity>): QuotaUsage {
    return new QuotaUsage(this.quota, this.sums, objects);
  }
}

/**
 * What is used of a quota's resources that pods are not charged to, without those that the state cannot tell.
 *
 * Scopes take in pods and nothing else, so of a quota that has some nothing else is used. Only VolumeAttributesClass takes in
 * claims, by what no snapshot keeps of them.
 *
 * @param since only objects of these kinds are counted; what was counted of others is taken over
 */
export function usageOfObjects(
  quota: ResourceQuota,
  objects: ObjectsByNamespace,
  since?: { readonly kinds: ReadonlySet<string>; readonly former: ReadonlyMap<string, Quantity> },
): ReadonlyMap<string, Quantity> {
  const usage = new Map<string, Quantity>();
  const scopes = scopesOf(quota);
  for (const resource of Object.keys(quota.spec?.hard ?? {})) {
    const counted = countedObjects(resource);
    if (counted === undefined) continue;
    const amount =
      since === undefined || since.kinds.has(counted.kind)
        ? amountOf(counted, scopes, objects, quota.metadata.namespace ?? '')
        : since.former.get(resource);
    if (amount !== undefined) usage.set(resource, amount);
  }
  return usage;
}

function amountOf(
  counted: CountedObjects,
  scopes: ReturnType<typeof scopesOf>,
  objects: ObjectsByNamespace,
  namespace: string,
): Quantity | undefined {
  if (scopes.length === 0) return objects.usageOf(counted, namespace);
  const isOfClaims = counted.kind === 'PersistentVolumeClaim';
  const mayTakeIn = isOfClaims && scopes.every(({ scopeName }) => scopeName === 'VolumeAttributesClass');
  return mayTakeIn ? undefined : Quantity.ZERO;
}
