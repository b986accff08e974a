import { defined } from '../../core/collections/defined.js';
import { CONTINUE, LIMIT } from '../../contract/common/page.js';
import { DEFAULT_PAGE_SIZE, type Page, type PageRequest } from '../../contract/page.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';

export { CONTINUE, LIMIT };

/** The query parameters of every list; a list's own ones extend it. */
export class PageQuery {
  @Given(LIMIT)
  limit?: number;

  @Given(CONTINUE)
  continue?: string;
}

export function pageRequest({ limit, continue: after }: Plain<PageQuery>): PageRequest {
  return { size: limit ?? DEFAULT_PAGE_SIZE, afterName: 'continue', ...defined({ after }) };
}

/** The end of every list's answer. */
export class PageShape {
  @Shown({ type: 'string', optional: true, description: 'For the next page; null on the last one.' })
  continue!: string | null;

  @Shown({ type: 'integer', description: 'Number of items after this page.', example: 0 })
  remainingItemCount!: number;
}

export function pageShape<Item, Shape>(
  page: Page<Item>,
  render: (item: Item) => Shape,
): Plain<PageShape> & { items: Shape[] } {
  return {
    items: page.items.map(({ item }) => render(item)),
    continue: page.hasMore ? (page.items.at(-1)?.token ?? null) : null,
    remainingItemCount: page.remaining,
  };
}
