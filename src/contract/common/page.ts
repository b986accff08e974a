import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../page.js';

export const LIMIT = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: MAX_PAGE_SIZE,
  defaultsTo: DEFAULT_PAGE_SIZE,
  description: 'At most so many items in this page.',
  example: 10,
} as const;

export const CONTINUE = {
  type: 'string',
  optional: true,
  description: 'The `continue` of the page before; the rest as there.',
} as const;

export const FIRST = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: MAX_PAGE_SIZE,
  description: `At most so many edges, 1 to ${MAX_PAGE_SIZE}; ${DEFAULT_PAGE_SIZE} by default.`,
} as const;

export const AFTER = {
  type: 'string',
  optional: true,
  description: 'Only what comes after the edge of this cursor.',
} as const;

export const TOTAL_COUNT = {
  type: 'boolean',
  optional: true,
  defaultsTo: false,
  description: 'Whether to answer `totalCount`: how many items there are on all pages.',
} as const;

export const FIELDS = {
  type: 'string',
  list: true,
  optional: true,
  maximumLength: 100,
  description:
    'Only these members, as dotted paths: of each item of a list, else of the answer. The others are left out, those that the schema requires too.',
  example: ['name', 'taints.key'],
} as const;
