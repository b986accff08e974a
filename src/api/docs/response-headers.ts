import type { JsonObject } from '../../core/json/json-value.js';

/** Response headers, as components. */
export const HEADERS: JsonObject = {
  ETag: {
    description:
      'Weak ETag of the response. Send it as `If-None-Match` to revalidate a cached response, or as `If-Match` to make a write conditional.',
    schema: { type: 'string' },
    example: 'W/"7-Zm9vYmFyYmF6cXV4cXV1eA"',
  },
  'Retry-After': { description: 'Number of seconds to wait before retrying.', schema: { type: 'integer' } },
  'WWW-Authenticate': {
    description: 'How to authenticate; with status 401.',
    schema: { type: 'string' },
    example: 'Bearer',
  },
  Link: {
    description: 'Link to the next page (RFC 8288); absent on the last page and if the URL is too long for a header.',
    schema: { type: 'string' },
    example: '</api/v1/clusters?continue=WyJ4Il0>; rel="next"',
  },
  Warning: {
    description: 'What the API server would warn of in a manifest: unknown and duplicate fields.',
    schema: { type: 'string' },
    example: '299 - "unknown field \\"spec.tolleration\\""',
  },
  Location: { description: 'Path of the created object.', schema: { type: 'string' } },
  'Content-Disposition': {
    description: 'File name for the response; sent with every format except JSON.',
    schema: { type: 'string' },
    example: 'attachment; filename="trail.csv"',
  },
};

/** The `headers` member of a response; empty if there are none. */
export function headersNamed(names: readonly string[]): JsonObject {
  if (names.length === 0) return {};
  return { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };
}
