import type { KubernetesObject, ResourceList } from './meta.js';
import type { Toleration } from './taints.js';

/** `scheduling.k8s.io/v1` PriorityClass. */
export interface PriorityClass extends KubernetesObject {
  readonly kind: 'PriorityClass';
  readonly value: number;
  readonly globalDefault?: boolean;
  /** Absent means PreemptLowerPriority. */
  readonly preemptionPolicy?: string;
}

/** `node.k8s.io/v1` RuntimeClass; objects of `v1alpha1`, which has these fields under `spec`, are converted to v1. */
export interface RuntimeClass extends KubernetesObject {
  readonly kind: 'RuntimeClass';
  readonly handler?: string;
  readonly overhead?: { readonly podFixed?: ResourceList };
  readonly scheduling?: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Toleration[];
  };
}
