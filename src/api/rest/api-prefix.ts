/** The path prefix of the REST API. */
export const API_PREFIX = 'api/v1';
