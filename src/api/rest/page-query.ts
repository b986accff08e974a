import { DEFAULT_PAGE_SIZE, GREATEST_PAGE_SIZE, type Page, type PageRequest } from '../../app/paging/page.js';
import { defined } from '../../core/collections/defined.js';
import type { Plain } from '../shapes/plain.js';
import { Given, Shown } from '../shapes/property.js';

export const LIMIT = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: GREATEST_PAGE_SIZE,
  defaultsTo: DEFAULT_PAGE_SIZE,
  description: 'At most so many items in this page.',
  example: 10,
} as const;

export const CONTINUE = {
  type: 'string',
  optional: true,
  description: 'The `continue` of the page before; the rest as there.',
} as const;

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
  @Shown({ type: 'string', optional: true, description: 'For the next page; null when this is the last one.' })
  continue!: string | null;

  @Shown({ type: 'integer', description: 'How many items follow after this page.', example: 0 })
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
