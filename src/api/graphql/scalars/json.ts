import { GraphQLScalarType } from 'graphql';
import type { JsonValue } from '../../../core/json/json-value.js';
import { literalValue } from './literal-value.js';

export const JsonScalar = new GraphQLScalarType<JsonValue, unknown>({
  name: 'JSON',
  description: 'Any JSON value; 64-bit integers are read and written without loss of precision.',
  serialize: (value) => value,
  parseValue: (value) => value as JsonValue,
  parseLiteral: literalValue,
});
