import type { LimitRange, LimitRangeItem, ResourceQuota, ScopedResourceSelectorRequirement } from '../objects/quota.js';
import { list, map, object } from './containers.js';
import { objectMeta } from './metadata.js';
import { constant, quantity, string } from './scalars.js';
import { required } from './schema.js';

/** `v1.ScopedResourceSelectorRequirement`. */
const scopedResourceSelectorRequirement = object<ScopedResourceSelectorRequirement>({
  operator: required(string),
  scopeName: required(string),
  values: list(string),
});

/** `v1.ScopeSelector`. */
const scopeSelector = object<NonNullable<NonNullable<ResourceQuota['spec']>['scopeSelector']>>({
  matchExpressions: list(scopedResourceSelectorRequirement),
});

/** `v1.ResourceQuotaSpec`. */
const resourceQuotaSpec = object<NonNullable<ResourceQuota['spec']>>({
  hard: map(quantity),
  scopeSelector,
  scopes: list(string),
});

/** `v1.ResourceQuotaStatus`. */
const resourceQuotaStatus = object<NonNullable<ResourceQuota['status']>>({
  hard: map(quantity),
  used: map(quantity),
});

/** `v1.ResourceQuota`. */
export const resourceQuota = object<ResourceQuota>({
  apiVersion: required(string),
  kind: required(constant('ResourceQuota')),
  metadata: required(objectMeta),
  spec: resourceQuotaSpec,
  status: resourceQuotaStatus,
});

/** `v1.LimitRangeItem`. */
const limitRangeItem = object<LimitRangeItem>({
  default: map(quantity),
  defaultRequest: map(quantity),
  max: map(quantity),
  maxLimitRequestRatio: map(quantity),
  min: map(quantity),
  type: required(string),
});

/** `v1.LimitRangeSpec`. */
const limitRangeSpec = object<NonNullable<LimitRange['spec']>>({
  limits: list(limitRangeItem),
});

/** `v1.LimitRange`. */
export const limitRange = object<LimitRange>({
  apiVersion: required(string),
  kind: required(constant('LimitRange')),
  metadata: required(objectMeta),
  spec: limitRangeSpec,
});
