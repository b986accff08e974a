import { defined } from '../../core/collections/defined.js';
import { readPageToken, writePageToken, type ListIdentity } from './page-token.js';

export const DEFAULT_PAGE_SIZE = 100;
export const GREATEST_PAGE_SIZE = 1000;

/** Which part of a list is asked for. */
export interface PageRequest {
  /** 1 to GREATEST_PAGE_SIZE. */
  readonly size: number;
  /** The token of the page before, or the cursor of the item before. */
  readonly after?: string;
  /** What the caller calls `after`, for the error: `continue` in REST, `after` in GraphQL. */
  readonly afterName: string;
}

/** A part of a list, each item with its own token, so that any item can be continued from. */
export interface Page<Item> {
  readonly items: readonly { readonly item: Item; readonly token: string }[];
  readonly hasMore: boolean;
  /** Items after this page, where counting them costs nothing. */
  readonly remaining: number;
  readonly total: number;
}

/**
 * Cuts a page out of a list that is sorted by `keyOf` in code unit order. An item that went away meanwhile does not
 * disturb the next page: it starts at the first key greater than the last one seen.
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
  return {
    items: sorted.slice(start, end).map((item) => ({
      item,
      // REST reads one of them only.
      get token() {
        return writePageToken(list, { after: keyOf(item), ...defined({ revision }) });
      },
    })),
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
