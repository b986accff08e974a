import { defined } from '../../core/collections/defined.js';
import { CONTINUE, LIMIT } from '../../contract/common/page.js';
import { DEFAULT_PAGE_SIZE, type Page, type PageRequest } from '../../contract/page.js';
import type { Plain } from '../contract/plain.js';
import { RequestField, ResponseField } from '../contract/field-decorators.js';

export { CONTINUE, LIMIT };

/** The query parameters of every list; lists with filters extend it. */
export class PageQuery {
  @RequestField(LIMIT)
  limit?: number;

  @RequestField(CONTINUE)
  continue?: string;
}

export function pageRequest({ limit, continue: after }: Plain<PageQuery>): PageRequest {
  return { size: limit ?? DEFAULT_PAGE_SIZE, afterName: 'continue', ...defined({ after }) };
}

/** The paging members of every list response. */
export class PageResponse {
  @ResponseField({ type: 'string', optional: true, description: 'For the next page; null on the last one.' })
  continue!: string | null;

  @ResponseField({ type: 'integer', description: 'Number of items after this page.', example: 0 })
  remainingItemCount!: number;
}

export function pageResponse<Item, Rendered>(
  page: Page<Item>,
  render: (item: Item) => Rendered,
): Plain<PageResponse> & { items: Rendered[] } {
  return {
    items: page.items.map(({ item }) => render(item)),
    continue: page.hasMore ? (page.items.at(-1)?.token ?? null) : null,
    remainingItemCount: page.remaining,
  };
}
