import { roundedList } from './defaults.js';
import type { ResourceList } from './objects/meta.js';
import type { LimitRangeItem } from './objects/quota.js';

/**
 * An item of a LimitRange with the API server's defaults: for containers, the default limit is the maximum, and the
 * default request is the limit or else the minimum. All quantities are rounded up to thousandths.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/apis/core/v1/defaults.go, `SetDefaults_LimitRangeItem`.
 *
 * @example `{type: 'Container', max: {cpu: '2'}}` gets `default: {cpu: '2'}` and `defaultRequest: {cpu: '2'}`
 */
export function defaultLimitRangeItem(given: LimitRangeItem): LimitRangeItem {
  const { type, max, min, maxLimitRequestRatio } = given;
  const limits = type === 'Container' ? completed(given.default, max) : given.default;
  const requests = type === 'Container' ? completed(given.defaultRequest, limits, min) : given.defaultRequest;
  return {
    type,
    ...(max && { max: roundedList(max) }),
    ...(min && { min: roundedList(min) }),
    ...(limits && { default: roundedList(limits) }),
    ...(requests && { defaultRequest: roundedList(requests) }),
    ...(maxLimitRequestRatio && { maxLimitRequestRatio: roundedList(maxLimitRequestRatio) }),
  };
}

/** The entries of all lists; entries of earlier lists take precedence. Keys come from the user. */
function completed(...lists: readonly (ResourceList | undefined)[]): ResourceList {
  const entries = new Map<string, string>();
  for (const list of lists) {
    for (const [name, quantity] of Object.entries(list ?? {})) if (!entries.has(name)) entries.set(name, quantity);
  }
  return Object.fromEntries(entries);
}
