import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import { allocatorFeatures } from '../devices/allocator-features.js';
import { claimFromTemplate } from '../devices/claim-from-template.js';
import type { ResourceClaimTemplate } from '../kubernetes/objects/dra.js';
import { checksAdminAccess } from '../kubernetes/validation/admin-access.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { FilterPlugin } from '../placement/plugin.js';
import {
  assumedDevices,
  mayUseDevices,
  releasedDevices,
} from '../placement/plugins/dynamic-resources/assumed-devices.js';
import type { LiveCluster } from './live-cluster.js';
import type { LivePod, RefusedPodClaim } from './live-pod.js';
import type { LiveQuotas } from './live-quotas.js';

/** Claims for devices: which devices the scheduler gives them, and the controller that takes them back. */
export class LiveDevices {
  constructor(
    private readonly cluster: LiveCluster,
    private readonly quotas: Pick<LiveQuotas, 'chargeObject' | 'releaseObject'>,
    /** Gives an object its identity. */
    private readonly identified: <T extends KubernetesObject>(object: T) => T,
  ) {}

  /**
   * What the scheduler writes once it has chosen a node for a pod.
   *
   * @returns why a quota refuses a claim that is made only now. The pod would wait for the claim, which is not modelled
   */
  assume(pod: LivePod, node: number, filters: readonly FilterPlugin[]): string | undefined {
    if (!mayUseDevices(this.cluster.lookups(), pod.stored)) return undefined;
    const assumed = assumedDevices({ state: this.cluster.state(), pod: this.cluster.podOf(pod), filters }, node);
    if (assumed === undefined) return undefined;
    pod.devices = assumed.allocations;
    let refusal: string | undefined;
    for (const claim of assumed.claims) {
      const { namespace = '', name } = claim.metadata;
      if (this.cluster.find('ResourceClaim', namespace, name) === undefined) refusal ??= this.refusalOf(claim)?.message;
      this.cluster.put(this.identified(claim));
    }
    const { resourceClaimStatuses, extendedResourceClaimStatus } = assumed.pod.status ?? {};
    pod.claims = {
      ...(resourceClaimStatuses && { resourceClaimStatuses }),
      ...(extendedResourceClaimStatus && { extendedResourceClaimStatus }),
    };
    return refusal;
  }

  /**
   * What the controller of claims does for a new pod: it makes the claims for which the pod has templates.
   *
   * Source: k8s.io/kubernetes v1.36.2, pkg/controller/resourceclaim/controller.go, `syncPod`.
   *
   * @returns why a quota refuses one of them; then the pod waits for it
   */
  make(pod: LivePod): RefusedPodClaim | undefined {
    const { stored } = pod;
    const { cluster } = this;
    const { namespace = '' } = stored.metadata;
    if (!cluster.rules.featureGates.DynamicResourceAllocation) return undefined;
    const made = [...(stored.status?.resourceClaimStatuses ?? []), ...(pod.claims?.resourceClaimStatuses ?? [])];
    for (const entry of stored.spec.resourceClaims ?? []) {
      if (entry.resourceClaimName !== undefined || made.some(({ name }) => name === entry.name)) continue;
      const ofNamespace = cluster.find('Namespace', '', namespace);
      const found = claimFromTemplate(stored, entry, {
        features: allocatorFeatures(cluster.rules),
        template: (name) => cluster.find('ResourceClaimTemplate', namespace, name) as ResourceClaimTemplate | undefined,
        namespaceLabels: checksAdminAccess(cluster.rules) ? (ofNamespace?.metadata.labels ?? {}) : undefined,
        isTaken: (name) => cluster.find('ResourceClaim', namespace, name) !== undefined,
      });
      // The scheduler says why there is none.
      if (!('claim' in found)) continue;
      const { claim } = found;
      const refusal = this.refusalOf(claim);
      if (refusal !== undefined) {
        const shown = `${pod.owner?.shownName(pod) ?? pod.name}-${entry.name}-RAND`;
        const message = refusal.message.replaceAll(claim.metadata.name, shown);
        return { text: `PodResourceClaim ${entry.name}: create ResourceClaim : ${message}`, by: refusal.plugin };
      }
      cluster.put(this.identified(claim));
      made.push({ name: entry.name, resourceClaimName: claim.metadata.name });
      pod.claims = { ...pod.claims, resourceClaimStatuses: [...made] };
    }
    return undefined;
  }

  /** Charges quotas for a new claim. */
  private refusalOf(claim: KubernetesObject): AdmissionRefusal | undefined {
    try {
      this.quotas.chargeObject(claim);
      return undefined;
    } catch (error) {
      if (!(error instanceof AdmissionRefusal)) throw error;
      return error;
    }
  }

  /** What the controller of claims does once a pod has left; true if devices may be free. */
  release(pod: LivePod): boolean {
    if (!mayUseDevices(this.cluster.lookups(), pod.stored)) return false;
    const left = this.cluster.podOf(pod);
    const released = releasedDevices(this.cluster.state(), left);
    if (released === undefined) return false;
    for (const claim of released.changed) this.cluster.put(claim);
    for (const claim of released.deleted) {
      this.quotas.releaseObject(claim, left);
      this.cluster.remove('ResourceClaim', claim.metadata.namespace ?? '', claim.metadata.name);
    }
    return true;
  }
}
