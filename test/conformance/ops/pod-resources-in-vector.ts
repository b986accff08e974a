import type { JsonObject } from '../../../src/core/json/json-value.js';
import type { PodResourcesOptions } from '../../../src/core/kubernetes/pod-resources/pod-resources-options.js';
import type { ResourceAmounts } from '../../../src/core/kubernetes/pod-resources/resource-amounts.js';

/** The options of podRequests and podLimits, whose names in the vectors are ours. */
export const optionsOf = (input: JsonObject): PodResourcesOptions => (input['options'] ?? {}) as PodResourcesOptions;

/** `{list, milli}` */
export function listedAmounts(amounts: ResourceAmounts): object {
  const entries = [...amounts];
  return {
    list: Object.fromEntries(entries.map(([name, quantity]) => [name, quantity.toString()])),
    milli: Object.fromEntries(entries.map(([name, quantity]) => [name, quantity.milliValue().toString()])),
  };
}
