export const NOT_LOADED = {
  type: 'string',
  list: true,
  description: 'Required kinds that were never loaded.',
  example: [],
} as const;
