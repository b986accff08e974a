import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

/** A string, or a JSON number, which Kubernetes also accepts; the core validates the quantity. */
function quantity(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) return String(value);
  throw new GraphQLError('Quantity must be a string, such as "500m" or "2Gi", or a number.');
}

export const QuantityScalar = new GraphQLScalarType<string, string>({
  name: 'Quantity',
  description: 'A Kubernetes quantity, such as `"500m"` or `"2Gi"`.',
  serialize: quantity,
  parseValue: quantity,
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT) return node.value;
    throw new GraphQLError('Quantity must be a string or a number.', { nodes: node });
  },
});
