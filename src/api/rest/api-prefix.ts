/** Where REST begins. */
export const API_PREFIX = 'api/v1';
