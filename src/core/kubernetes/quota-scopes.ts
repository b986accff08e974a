import type { ResourceQuota, ScopedResourceSelectorRequirement } from './objects/quota.js';

/**
 * The scopes of a quota in the form of its scope selector: those of `scopes` with the operator Exists, then the
 * selector's own (`getScopeSelectorsFromQuota`, k8s.io/apiserver v0.36.2, pkg/quota/v1/generic/evaluator.go).
 */
export function scopesOf({ spec }: Pick<ResourceQuota, 'spec'>): readonly ScopedResourceSelectorRequirement[] {
  const plain = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...(spec?.scopeSelector?.matchExpressions ?? [])];
}

/** A scope in Go's notation: `{PriorityClass In [high low]}`. */
export const scopeText = ({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement): string =>
  `{${scopeName} ${operator} [${values.join(' ')}]}`;
