import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Quantity } from '../kubernetes/quantity.js';

/** How a quota resource is counted, as far as objects other than pods are charged to it. */
export interface CountedObjects {
  readonly kind: KeptKind;
  /** The kinds that a charge depends on besides the object itself. */
  readonly dependsOn?: readonly KeptKind[];
  /** The charge of one object of the kind. */
  readonly charge: (object: KubernetesObject) => Quantity | undefined;
}

/** The cluster in which objects are charged. */
export interface ChargingCluster {
  readonly rules: KubernetesRules;
  /** In milliseconds since the epoch. */
  readonly now: number;
  readonly objects: (kind: 'DeviceClass' | 'ResourceClaim') => readonly KubernetesObject[];
  readonly pod: (namespace: string, name: string) => Pod | undefined;
}
