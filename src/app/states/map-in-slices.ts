import type { TimeSlices } from './time-slices.js';

/**
 * Makes something of each item, in slices of time.
 * @throws {ServiceError} as `TimeSlices.pause`
 */
export async function mapInSlices<Item, Made>(
  items: Iterable<Item>,
  slices: TimeSlices,
  make: (item: Item) => Made,
): Promise<readonly Made[]> {
  const made: Made[] = [];
  for (const item of items) {
    if (slices.due()) await slices.pause();
    made.push(make(item));
  }
  return made;
}
