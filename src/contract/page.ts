export const DEFAULT_PAGE_SIZE = 100;
export const MAX_PAGE_SIZE = 1000;

/** The requested part of a list. */
export interface PageRequest {
  /** 1 to MAX_PAGE_SIZE. */
  readonly size: number;
  /** The token of the previous page, or the cursor of the previous item. */
  readonly after?: string;
  /** The caller's name for `after`, for error messages: `continue` in REST, `after` in GraphQL. */
  readonly afterName: string;
}

/** A part of a list. Each item has a token, so that the next page can start after any item. */
export interface Page<Item> {
  readonly items: readonly { readonly item: Item; readonly token: string }[];
  readonly hasMore: boolean;
  /** Number of items after this page. */
  readonly remaining: number;
  readonly total: number;
}

/** A page of a list that is not counted: a trail may have millions of records. */
export type UncountedPage<Item> = Pick<Page<Item>, 'items' | 'hasMore'>;
