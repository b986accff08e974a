import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import type { CountedObjects } from './counted-objects.js';
import { countedObjects, type ObjectsByNamespace } from './object-usage.js';
import { scopesOf } from './scopes.js';
import type { CountedCharge, UsageSums } from './usage-sums.js';

/** One resource that a quota limits. */
export interface ResourceUsage {
  readonly resource: string;
  /** `spec.hard`. */
  readonly hard: Quantity;
  /** The total of the objects of the state; undefined if it is not known. */
  readonly used: Quantity | undefined;
  /** `status.used`; undefined if it lacks the resource. */
  readonly reported: Quantity | undefined;
}

/** The counted usage of a quota, and the usage in its status. Immutable. */
export class QuotaUsage {
  constructor(
    readonly quota: ResourceQuota,
    private readonly sums: UsageSums,
    /** What objects other than pods are charged, as far as it is known. */
    readonly objects: ReadonlyMap<string, Quantity>,
  ) {}

  /** Number of pods that match the quota's scopes, including those that have ended. */
  get pods(): number {
    return this.sums.pods;
  }

  /** Every resource of `spec.hard`, in byte order. Some are charged both to pods and to claims. */
  resources(): readonly ResourceUsage[] {
    const reported = parseResourceList(this.quota.status?.used);
    return [...parseResourceList(this.quota.spec?.hard)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([resource, hard]) => ({
        resource,
        hard,
        used: sumOf(this.sums.of(resource), this.objects.get(resource)),
        reported: reported.get(resource),
      }));
  }

  /** The same counts for a changed quota, which must limit the same resources within the same scopes. */
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

/** The sum of what is known. */
export const sumOf = (ofPods: Quantity | undefined, ofObjects: Quantity | undefined): Quantity | undefined =>
  ofPods === undefined || ofObjects === undefined ? (ofPods ?? ofObjects) : ofPods.add(ofObjects);

/**
 * What objects other than pods are charged to a quota's resources, without those that are not known.
 *
 * Scopes match only pods, so a quota with scopes counts no other objects. Only VolumeAttributesClass matches claims, by
 * a field that snapshots do not keep.
 *
 * @param since only what depends on objects of these kinds is counted; other counts are copied
 */
export function usageOfObjects(
  quota: ResourceQuota,
  objects: ObjectsByNamespace,
  since?: { readonly kinds: ReadonlySet<string>; readonly former: ReadonlyMap<string, Quantity> },
): ReadonlyMap<string, Quantity> {
  const usage = new Map<string, Quantity>();
  const scopes = scopesOf(quota);
  for (const resource of Object.keys(quota.spec?.hard ?? {})) {
    const counted = countedObjects(resource, objects.cluster);
    if (counted === undefined) continue;
    const amount =
      since === undefined || [counted.kind, ...(counted.dependsOn ?? [])].some((kind) => since.kinds.has(kind))
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
