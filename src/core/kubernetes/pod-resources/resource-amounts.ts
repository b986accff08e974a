import type { ResourceList } from '../objects/meta.js';
import { decodeQuantity, type Quantity } from '../quantity.js';

/** Quantities by resource name, in order of first occurrence. */
export type ResourceAmounts = Map<string, Quantity>;

/**
 * A resource list with parsed quantities.
 *
 * @throws QuantityError for an invalid quantity
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

/**
 * Raises the quantities of a list in place to the larger one (`maxResourceList`); of two equal quantities the first is
 * kept.
 */
export function raiseAmounts(into: ResourceAmounts, list: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of list) {
    const present = into.get(name);
    into.set(name, present === undefined ? quantity : present.max(quantity));
  }
}

/** The same as {@link raiseAmounts} for an unparsed list. */
export function raiseByList(into: ResourceAmounts, list: ResourceList | undefined): void {
  if (list === undefined) return;
  for (const name of Object.keys(list)) {
    const quantity = decodeQuantity(list[name] ?? '');
    const present = into.get(name);
    // Equal texts result in the same object: most statuses repeat the spec.
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
