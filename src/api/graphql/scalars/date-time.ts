import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { isRfc3339 } from '../../../app/rfc3339.js';

/** Times stay strings on input, as in REST, so that both share the same validation. */
function time(value: unknown): string {
  if (typeof value === 'string' && isRfc3339(value)) return value;
  throw new GraphQLError('DateTime must be an RFC 3339 time, such as 2026-05-04T03:02:01Z.');
}

export const DateTimeScalar = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  description: 'An RFC 3339 time, such as `2026-05-04T03:02:01Z`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  serialize: (value) => (value instanceof Date ? value.toISOString() : time(value)),
  parseValue: time,
  parseLiteral: (node) => time(node.kind === Kind.STRING ? node.value : undefined),
});
