import type { KubernetesObject, ResourceList } from './meta.js';

/** `scheduling.k8s.io/v1alpha2` PodGroup. */
export interface PodGroup extends KubernetesObject {
  readonly kind: 'PodGroup';
  readonly spec?: {
    readonly schedulingPolicy?: {
      readonly basic?: object;
      readonly gang?: { readonly minCount: number };
    };
    readonly schedulingConstraints?: { readonly topology?: readonly { readonly key: string }[] };
  };
}

/** `scheduling.x-k8s.io/v1alpha1` PodGroup, of the coscheduling plugin. */
export interface CoschedulingPodGroup extends KubernetesObject {
  readonly kind: 'CoschedulingPodGroup';
  readonly spec?: {
    readonly minMember?: number;
    readonly minResources?: ResourceList;
  };
}
