import { AdmissionRefusal } from '../kubernetes/admission-refusal.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { FilterPlugin } from '../placement/plugin.js';
import {
  assumedDevices,
  mayUseDevices,
  releasedDevices,
} from '../placement/plugins/dynamic-resources/assumed-devices.js';
import type { LiveCluster } from './live-cluster.js';
import type { LivePod } from './live-pod.js';
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
   * @returns why a quota refuses a claim of the pod. The pod would wait for the claim, which is not modelled
   */
  assume(pod: LivePod, node: number, filters: readonly FilterPlugin[]): string | undefined {
    if (!mayUseDevices(this.cluster.lookups(), pod.stored)) return undefined;
    const assumed = assumedDevices({ state: this.cluster.state(), pod: this.cluster.podOf(pod), filters }, node);
    if (assumed === undefined) return undefined;
    pod.devices = assumed.allocations;
    let refusal: string | undefined;
    for (const claim of assumed.claims) {
      const { namespace = '', name } = claim.metadata;
      if (this.cluster.find('ResourceClaim', namespace, name) === undefined) refusal ??= this.refusalOf(claim);
      this.cluster.put(this.identified(claim));
    }
    const { resourceClaimStatuses, extendedResourceClaimStatus } = assumed.pod.status ?? {};
    pod.claims = {
      ...(resourceClaimStatuses && { resourceClaimStatuses }),
      ...(extendedResourceClaimStatus && { extendedResourceClaimStatus }),
    };
    return refusal;
  }

  /** Charges quotas for a new claim. */
  private refusalOf(claim: KubernetesObject): string | undefined {
    try {
      this.quotas.chargeObject(claim);
      return undefined;
    } catch (error) {
      if (!(error instanceof AdmissionRefusal)) throw error;
      return error.message;
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
