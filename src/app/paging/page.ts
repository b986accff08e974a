import { defined } from '../../core/collections/defined.js';
import type { Page, PageRequest } from '../../contract/page.js';
import { PageItem } from './page-item.js';
import { readPageToken, writePageToken, type ListIdentity } from './page-token.js';

/**
 * Cuts a page out of a list sorted by `keyOf` in code unit order. Deleted items do not affect the next page, which
 * starts at the first key after the last one returned.
 */
export function pageOf<Item>(
  sorted: readonly Item[],
  keyOf: (item: Item) => string,
  request: PageRequest,
  list: ListIdentity,
  revision?: number,
): Page<Item> {
  const after = request.after === undefined ? undefined : readPageToken(list, request.after, request.afterName).after;
  const start = after === undefined ? 0 : firstGreater(sorted, keyOf, after);
  const end = Math.min(sorted.length, start + request.size);
  const tokenOf = (item: Item): string => writePageToken(list, { after: keyOf(item), ...defined({ revision }) });
  return {
    items: sorted.slice(start, end).map((item) => new PageItem(item, item, tokenOf)),
    hasMore: end < sorted.length,
    remaining: sorted.length - end,
    total: sorted.length,
  };
}

function firstGreater<Item>(sorted: readonly Item[], keyOf: (item: Item) => string, key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf(sorted[middle]!) > key) high = middle;
    else low = middle + 1;
  }
  return low;
}
