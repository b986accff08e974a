import type { ResourceList } from '../objects/meta.js';
import { decodeQuantity, type Quantity } from '../quantity.js';

/** Quantities by resource name, in the order in which the names came up. */
export type ResourceAmounts = Map<string, Quantity>;

/**
 * A resource list with its quantities parsed.
 *
 * @throws QuantityError for a text that is no quantity
 */
export function parseResourceList(list: ResourceList | undefined): ResourceAmounts {
  return largestAmounts(list);
}

/** Adds a list to another in place (`addResourceList`, k8s.io/component-helpers v0.36.2, resource/helpers.go). */
export function addAmounts(into: ResourceAmounts, list: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of list) {
    const present = into.get(name);
    into.set(name, present === undefined ? quantity : present.add(quantity));
  }
}

/** Raises a list in place to the larger of each (`maxResourceList`); of two equal quantities the first stays. */
export function raiseAmounts(into: ResourceAmounts, list: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of list) {
    const present = into.get(name);
    into.set(name, present === undefined ? quantity : present.max(quantity));
  }
}

/** As {@link raiseAmounts}, for a list that is not parsed yet. */
export function raiseByList(into: ResourceAmounts, list: ResourceList | undefined): void {
  if (list === undefined) return;
  for (const name of Object.keys(list)) {
    const quantity = decodeQuantity(list[name] ?? '');
    const present = into.get(name);
    // Equal texts give one object: most statuses repeat the spec.
    if (present === undefined) into.set(name, quantity);
    else if (present !== quantity) into.set(name, present.max(quantity));
  }
}

/** The largest of each resource over several lists (`max`). */
export function largestAmounts(...lists: readonly (ResourceList | undefined)[]): ResourceAmounts {
  const largest: ResourceAmounts = new Map();
  for (const list of lists) raiseByList(largest, list);
  return largest;
}
