import type { JsonObject } from '../../core/json/json-value.js';

/** Headers that responses refer to. */
export const HEADERS: JsonObject = {
  ETag: {
    description:
      'A weak tag of the answer. Send it as `If-None-Match` to read again, or as `If-Match` to change what was read.',
    schema: { type: 'string' },
    example: 'W/"7-Zm9vYmFyYmF6cXV4cXV1eA"',
  },
  'Retry-After': { description: 'After how many seconds it makes sense to try again.', schema: { type: 'integer' } },
  'WWW-Authenticate': {
    description: 'How to authenticate; with status 401.',
    schema: { type: 'string' },
    example: 'Bearer',
  },
  Link: {
    description: 'The address of the next page (RFC 8288), where there is one and it is not too long for a header.',
    schema: { type: 'string' },
    example: '</api/v1/clusters?continue=WyJ4Il0>; rel="next"',
  },
  Location: { description: 'The path of what was stored.', schema: { type: 'string' } },
  'Content-Disposition': {
    description: 'A name for the file, of every format but JSON.',
    schema: { type: 'string' },
    example: 'attachment; filename="trail.csv"',
  },
};

/** Headers as a member of a response; nothing where there are none. */
export function headersNamed(names: readonly string[]): JsonObject {
  if (names.length === 0) return {};
  return { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };
}
