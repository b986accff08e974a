import { GraphQLError, GraphQLScalarType } from 'graphql';
import { literalValue } from './literal-value.js';
import { isJsonObject } from '../../../core/json/json-value.js';

function labels(value: unknown): Record<string, string> {
  if (isJsonObject(value) && Object.values(value).every((member) => typeof member === 'string')) {
    return value as Record<string, string>;
  }
  throw new GraphQLError('Labels must be a map of strings to strings.');
}

export const LabelsScalar = new GraphQLScalarType<Record<string, string>, unknown>({
  name: 'Labels',
  description: 'Kubernetes labels: a JSON object with string values. Keys with a slash or a dot require a variable.',
  serialize: labels,
  parseValue: labels,
  parseLiteral: (node, variables) => labels(literalValue(node, variables)),
});
