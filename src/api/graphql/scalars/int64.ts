import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

function int64(value: unknown): number | bigint {
  if (Number.isSafeInteger(value)) return value as number;
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  throw new GraphQLError('Int64 must be an integer from -9223372036854775808 to 9223372036854775807.');
}

/** A 64-bit integer, such as `tolerationSeconds`: a bare JSON number that is never rounded. */
export const Int64Scalar = new GraphQLScalarType<number | bigint, number | bigint>({
  name: 'Int64',
  description:
    'A 64-bit signed integer, read and written as a bare JSON number without loss of precision. Clients that parse JSON ' +
    'numbers as doubles lose precision beyond 2^53.',
  serialize: int64,
  parseValue: int64,
  parseLiteral: (node) => {
    if (node.kind !== Kind.INT || node.value.length > 20)
      throw new GraphQLError('Int64 must be an integer.', { nodes: node });
    return int64(BigInt(node.value));
  },
});
