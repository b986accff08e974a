import type { KubernetesObject, ResourceList } from './meta.js';

/**
 * `scheduling.k8s.io/v1alpha2` PodGroup; or, without `schedulingPolicy`, the PodGroup of the coscheduling plugin,
 * `scheduling.x-k8s.io/v1alpha1`. Of two with the same name, a state has one.
 */
export interface PodGroup extends KubernetesObject {
  readonly kind: 'PodGroup';
  readonly spec?: {
    readonly schedulingPolicy?: {
      readonly basic?: object;
      readonly gang?: { readonly minCount: number };
    };
    readonly schedulingConstraints?: { readonly topology?: readonly { readonly key: string }[] };
    /** Of the coscheduling plugin, as the following. */
    readonly minMember?: number;
    readonly minResources?: ResourceList;
  };
}
