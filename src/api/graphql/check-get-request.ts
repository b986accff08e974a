import type { FastifyRequest } from 'fastify';
import { getOperationAST, GraphQLError, parse, type DocumentNode } from 'graphql';
import type { JsonValue } from '../../core/json/json-value.js';
import { JsonSyntaxError, parseJson } from '../../core/json/lossless-json.js';
import { checkSource } from './check-source.js';
import { GRAPHQL_LIMITS } from './limits.js';

/**
 * Checks a GraphQL GET request before Mercurius, which parses the variables with `JSON.parse`, without checking their
 * type, and assumes that the operation exists.
 * @throws {GraphQLError}
 */
export function checkGetRequest({ method, query: parameters }: FastifyRequest): void {
  if (method !== 'GET' && method !== 'HEAD') return;
  const { query, variables, operationName } = parameters as Readonly<Record<string, unknown>>;
  if (typeof variables === 'string' && variables !== '') checkVariables(variables);
  if (typeof query === 'string' && query !== '') {
    checkOperation(query, typeof operationName === 'string' ? operationName : undefined);
  }
}

function checkVariables(text: string): void {
  let value: JsonValue;
  try {
    value = parseJson(text, { maxDepth: GRAPHQL_LIMITS.nesting, duplicateKeys: 'reject' });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new GraphQLError(`The variables are not valid JSON: ${error.message}.`);
  }
  if (typeof value !== 'object' || Array.isArray(value)) throw new GraphQLError('The variables must be an object.');
  if (holdsLargeInteger(value)) {
    throw new GraphQLError('A GET request would round an integer beyond 2^53; send the request as a POST.');
  }
}

function holdsLargeInteger(value: JsonValue): boolean {
  if (typeof value === 'bigint') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsLargeInteger);
}

function checkOperation(source: string, name: string | undefined): void {
  checkSource(source);
  let document: DocumentNode;
  try {
    document = parse(source, { maxTokens: GRAPHQL_LIMITS.tokens });
  } catch {
    // Mercurius reports this itself.
    return;
  }
  if (getOperationAST(document, name) != null) return;
  throw new GraphQLError(
    name === undefined
      ? 'Must provide operation name if query contains multiple operations.'
      : `Unknown operation named ${JSON.stringify(name)}.`,
  );
}
