import type { UncountedPage } from '../../contract/page.js';
import type { Plain } from '../shapes/plain.js';
import { Shown } from '../shapes/property.js';

/** The end of a list whose length nobody counts. */
export class UncountedPageShape {
  @Shown({ type: 'string', optional: true, description: 'For the next page; null on the last one.' })
  continue!: string | null;
}

export function uncountedPageShape<Item, Shape>(
  page: UncountedPage<Item>,
  render: (item: Item) => Shape,
): Plain<UncountedPageShape> & { items: Shape[] } {
  return {
    items: page.items.map(({ item }) => render(item)),
    continue: page.hasMore ? (page.items.at(-1)?.token ?? null) : null,
  };
}
