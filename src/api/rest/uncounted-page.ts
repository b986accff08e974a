import type { UncountedPage } from '../../contract/page.js';
import type { Plain } from '../contract/plain.js';
import { ResponseField } from '../contract/field-decorators.js';

/** The paging members of a list without a total count. */
export class UncountedPageResponse {
  @ResponseField({ type: 'identifier', optional: true, description: 'For the next page; null on the last one.' })
  continue!: string | null;
}

export function uncountedPageResponse<Item, Rendered>(
  page: UncountedPage<Item>,
  render: (item: Item) => Rendered,
): Plain<UncountedPageResponse> & { items: Rendered[] } {
  return {
    items: page.items.map(({ item }) => render(item)),
    continue: page.hasMore ? (page.items.at(-1)?.token ?? null) : null,
  };
}
