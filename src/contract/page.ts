export const DEFAULT_PAGE_SIZE = 100;
export const MAX_PAGE_SIZE = 1000;

/** Which part of a list is asked for. */
export interface PageRequest {
  /** 1 to MAX_PAGE_SIZE. */
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

/** A page of a list whose length nobody counts: a trail may have millions of records. */
export type UncountedPage<Item> = Pick<Page<Item>, 'items' | 'hasMore'>;
