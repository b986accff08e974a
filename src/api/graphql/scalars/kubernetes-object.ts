import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.js';
import { literalValue } from './literal-value.js';

function object(value: unknown): JsonObject {
  if (isJsonObject(value)) return value as JsonObject;
  throw new GraphQLError('KubernetesObject must be an object.');
}

export const KubernetesObjectScalar = new GraphQLScalarType<JsonObject, unknown>({
  name: 'KubernetesObject',
  description:
    'A Kubernetes object, such as a Pod manifest, as JSON in a variable or as an object literal. GraphQL literals cannot ' +
    'contain keys with a slash or a dot; variables can.',
  serialize: object,
  parseValue: object,
  parseLiteral: (node, variables) => {
    if (node.kind !== Kind.OBJECT) throw new GraphQLError('KubernetesObject must be an object.', { nodes: node });
    return object(literalValue(node, variables));
  },
});
