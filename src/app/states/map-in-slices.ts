import type { TimeSlices } from './time-slices.js';

/**
 * Maps items in time slices.
 * @throws {ServiceError} as `TimeSlices.pause`
 */
export function mapInSlices<Item, Made>(
  items: Iterable<Item>,
  slices: TimeSlices,
  make: (item: Item) => Made,
): Promise<readonly Made[]> {
  return slices.map(items, make);
}
