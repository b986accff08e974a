import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../page.js';

export const LIMIT = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: MAX_PAGE_SIZE,
  defaultsTo: DEFAULT_PAGE_SIZE,
  description: 'Maximum number of items per page.',
  example: 10,
} as const;

export const CONTINUE = {
  type: 'string',
  optional: true,
  description: 'The `continue` of the previous page; the other parameters must be the same.',
} as const;

export const FIRST = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: MAX_PAGE_SIZE,
  description: `Maximum number of edges, 1 to ${MAX_PAGE_SIZE}. Default: ${DEFAULT_PAGE_SIZE}.`,
} as const;

export const AFTER = {
  type: 'string',
  optional: true,
  description: 'Return only edges after this cursor.',
} as const;

export const TOTAL_COUNT = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Whether to return `totalCount`, the number of items on all pages.',
} as const;

export const FIELDS = {
  type: 'string',
  list: true,
  optional: true,
  maximumLength: 100,
  description:
    'Return only these members, as dotted paths: of each item of a list, or else of the response. All others are omitted, even those that the schema requires.',
  example: ['name', 'taints.key'],
} as const;
