import type { KubernetesObject, ResourceList } from './meta.js';

/** `v1.ScopedResourceSelectorRequirement`. */
export interface ScopedResourceSelectorRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** `v1` ResourceQuota. */
export interface ResourceQuota extends KubernetesObject {
  readonly kind: 'ResourceQuota';
  readonly spec?: {
    readonly hard?: ResourceList;
    readonly scopes?: readonly string[];
    readonly scopeSelector?: { readonly matchExpressions?: readonly ScopedResourceSelectorRequirement[] };
  };
  readonly status?: { readonly hard?: ResourceList; readonly used?: ResourceList };
}

/** `v1.LimitRangeItem`. */
export interface LimitRangeItem {
  readonly type: string;
  readonly max?: ResourceList;
  readonly min?: ResourceList;
  readonly default?: ResourceList;
  readonly defaultRequest?: ResourceList;
  readonly maxLimitRequestRatio?: ResourceList;
}

/** `v1` LimitRange. */
export interface LimitRange extends KubernetesObject {
  readonly kind: 'LimitRange';
  readonly spec?: { readonly limits?: readonly LimitRangeItem[] };
}
