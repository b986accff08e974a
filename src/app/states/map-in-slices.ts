import type { TimeSlices } from './time-slices.js';

/**
 * Makes something of each item, in slices of time.
 * @throws {ServiceError} as `TimeSlices.pause`
 */
export function mapInSlices<Item, Made>(
  items: Iterable<Item>,
  slices: TimeSlices,
  make: (item: Item) => Made,
): Promise<readonly Made[]> {
  return slices.map(items, make);
}
