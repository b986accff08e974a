import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { FilterPlugin } from '../placement/plugin.js';
import {
  assumedDevices,
  mayUseDevices,
  releasedDevices,
} from '../placement/plugins/dynamic-resources/assumed-devices.js';
import type { LiveCluster } from './live-cluster.js';
import type { LivePod } from './live-pod.js';

/** Claims for devices: which devices the scheduler gives them, and the controller that takes them back. */
export class LiveDevices {
  constructor(
    private readonly cluster: LiveCluster,
    /** Gives an object its identity. */
    private readonly identified: <T extends KubernetesObject>(object: T) => T,
  ) {}

  /** What the scheduler writes once it has chosen a node for a pod. */
  assume(pod: LivePod, node: number, filters: readonly FilterPlugin[]): void {
    if (!mayUseDevices(this.cluster.lookups(), pod.stored)) return;
    const assumed = assumedDevices({ state: this.cluster.state(), pod: this.cluster.podOf(pod), filters }, node);
    if (assumed === undefined) return;
    for (const claim of assumed.claims) this.cluster.put(this.identified(claim));
    const { resourceClaimStatuses, extendedResourceClaimStatus } = assumed.pod.status ?? {};
    pod.claims = {
      ...(resourceClaimStatuses && { resourceClaimStatuses }),
      ...(extendedResourceClaimStatus && { extendedResourceClaimStatus }),
    };
  }

  /** What the controller of claims does once a pod has left; true if devices may be free. */
  release(pod: LivePod): boolean {
    if (!mayUseDevices(this.cluster.lookups(), pod.stored)) return false;
    const released = releasedDevices(this.cluster.state(), this.cluster.podOf(pod));
    if (released === undefined) return false;
    for (const claim of released.changed) this.cluster.put(claim);
    for (const { metadata } of released.deleted) {
      this.cluster.remove('ResourceClaim', metadata.namespace ?? '', metadata.name);
    }
    return true;
  }
}
