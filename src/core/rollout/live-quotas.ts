import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { Quantity } from '../kubernetes/quantity.js';
import type { ChargingCluster } from '../quota/counted-objects.js';
import { countedObjects, ObjectsByNamespace } from '../quota/object-usage.js';
import { podQuotaUsage } from '../quota/pod-usage.js';
import { quotaApplies } from '../quota/quota-match.js';
import { admitObject, lowered, objectCharge, withUsed } from '../quota/object-admission.js';
import { reviewQuotas, type LimitedResource } from '../quota/quota-admission.js';
import { POD_OBJECT_COUNT } from '../quota/quota-resources.js';
import { recountQuota } from '../quota/recount.js';
import { QuotaScopeError, scopeFactsOf, scopesOf } from '../quota/scopes.js';
import type { LiveCluster } from './live-cluster.js';

interface NamespaceQuotas {
  readonly before: readonly ResourceQuota[];
  now: readonly ResourceQuota[];
}

/**
 * The quotas of namespaces while objects come and go: admission charges what is created, and the quota controller, some time later, takes
 * back what has left.
 */
export class LiveQuotas {
  private readonly namespaces = new Map<string, NamespaceQuotas>();
  /** Counts releases: a refused creation may succeed after one. */
  releases = 0;

  constructor(
    private readonly cluster: LiveCluster,
    private readonly now: number,
  ) {}

  of(namespace: string): readonly ResourceQuota[] {
    return this.entry(namespace).now;
  }

  /** The quotas of a namespace as they were, and as they are. */
  changes(namespace: string): readonly { readonly before: ResourceQuota; readonly after: ResourceQuota }[] {
    const { before, now } = this.entry(namespace);
    return before.map((quota, index) => ({ before: quota, after: now[index]! }));
  }

  /** A quota was created or changed. */
  refresh(namespace: string): void {
    this.namespaces.delete(namespace);
  }

  /** @throws {AdmissionRefusal} */
  chargePod(pod: Pod, limited: readonly LimitedResource[] | undefined): void {
    const entry = this.entry(pod.metadata.namespace ?? '');
    if (entry.now.length === 0 && limited === undefined) return;
    const review = reviewQuotas(
      entry.now,
      { operation: 'create', pod },
      { now: this.now, rules: this.cluster.rules, ...(limited && { limited }) },
    );
    if (review.outcome === 'refused') throw review.refusal;
    this.set(entry, review.quotas);
  }

  releasePod(pod: Pod, isGone: boolean): void {
    const entry = this.entry(pod.metadata.namespace ?? '');
    if (entry.now.length === 0) return;
    const usage = podQuotaUsage({ ...pod, status: { ...pod.status, phase: 'Pending' } }, this.now, this.cluster.rules);
    if (!isGone) usage.delete(POD_OBJECT_COUNT);
    const facts = scopeFactsOf(pod);
    this.set(
      entry,
      entry.now.map((quota) => {
        try {
          return quotaApplies(quota, facts, this.cluster.rules) ? lowered(quota, usage) : quota;
        } catch (error) {
          if (error instanceof QuotaScopeError) return quota;
          throw error;
        }
      }),
    );
    this.releases++;
  }

  /**
   * Charges an object other than a pod.
   *
   * @throws {AdmissionRefusal}
   */
  chargeObject(object: KubernetesObject): void {
    const entry = this.entry(object.metadata.namespace ?? '');
    const charging = this.charging();
    this.set(
      entry,
      admitObject(entry.now, object, (quota) => objectCharge(quota, object, charging)),
    );
  }

  /** @param of the pod that a claim was made for; the claim is not charged what the pod was charged, as long as it was there */
  releaseObject(object: KubernetesObject, of: Pod): void {
    const entry = this.entry(object.metadata.namespace ?? '');
    if (entry.now.length === 0) return;
    const active: Pod = { ...of, status: { ...of.status, phase: 'Pending' } };
    const charging: ChargingCluster = {
      ...this.charging(),
      pod: (_, name) => (name === of.metadata.name ? active : undefined),
    };
    this.set(
      entry,
      entry.now.map((quota) => lowered(quota, objectCharge(quota, object, charging))),
    );
    this.releases++;
  }

  private charging(): ChargingCluster {
    const { cluster, now } = this;
    return {
      rules: cluster.rules,
      now,
      objects: (kind) => cluster.objects(kind),
      pod: (namespace, name) => cluster.state().find('Pod', namespace, name) as Pod | undefined,
    };
  }

  private set(entry: NamespaceQuotas, quotas: readonly ResourceQuota[]): void {
    quotas.forEach((quota, index) => {
      if (quota !== entry.now[index]) this.cluster.put(quota);
    });
    entry.now = quotas;
  }

  private entry(namespace: string): NamespaceQuotas {
    let entry = this.namespaces.get(namespace);
    if (entry === undefined) {
      const quotas = (this.cluster.objects('ResourceQuota') as readonly ResourceQuota[])
        .filter(({ metadata }) => metadata.namespace === namespace)
        .map((quota) => this.synced(quota));
      this.namespaces.set(namespace, (entry = { before: quotas, now: quotas }));
    }
    return entry;
  }

  /** A quota that the controller has not seen yet gets its status first. */
  private synced(quota: ResourceQuota): ResourceQuota {
    const { spec, status, metadata } = quota;
    const hard = spec?.hard ?? {};
    if (
      Object.keys(hard).every((name) => status?.hard?.[name] === hard[name] && Object.hasOwn(status?.used ?? {}, name))
    ) {
      return quota;
    }
    const state = this.cluster.state();
    const pods: Pod[] = [];
    for (let pod = 0; pod < state.pods.count; pod++) {
      if (state.pods.namespace(pod) === metadata.namespace) pods.push(state.pods.pod(pod));
    }
    const objects = new ObjectsByNamespace(state, this.now);
    const others = (resource: string): Quantity | undefined => {
      const counted = countedObjects(resource, objects.cluster);
      if (counted === undefined) return undefined;
      return scopesOf(quota).length > 0 ? Quantity.ZERO : objects.usageOf(counted, metadata.namespace ?? '');
    };
    const used = recountQuota(quota, pods, { now: this.now, rules: this.cluster.rules, others });
    const synced = withUsed({ ...quota, status: { hard } }, used);
    this.cluster.put(synced);
    return synced;
  }
}
