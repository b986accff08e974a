import type { KubernetesObject } from './meta.js';

/** `coordination.k8s.io/v1` Lease; those in the namespace `kube-node-lease` are the nodes' heartbeats. */
export interface Lease extends KubernetesObject {
  readonly kind: 'Lease';
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    /** RFC 3339 with microseconds. */
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}
