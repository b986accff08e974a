import type { FastifyRequest } from 'fastify';
import { getOperationAST, GraphQLError, parse, type DocumentNode } from 'graphql';
import type { JsonValue } from '../../core/json/json-value.js';
import { JsonSyntaxError, parseJson } from '../../core/json/lossless-json.js';
import { checkSource } from './check-source.js';
import { GRAPHQL_LIMITS } from './limits.js';

/**
 * Looks at a GraphQL request that comes as a GET before mercurius does, which reads its variables with `JSON.parse`, as
 * whatever they are, and takes it for granted that the operation exists.
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
    throw new GraphQLError(`The variables are not the JSON that is needed: ${error.message}.`);
  }
  if (typeof value !== 'object' || Array.isArray(value)) throw new GraphQLError('The variables must be an object.');
  if (holdsLargeInteger(value)) {
    throw new GraphQLError('An integer beyond 2^53 would be rounded in a GET; send the request as a POST.');
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
    // Mercurius says so, in its own words.
    return;
  }
  if (getOperationAST(document, name) != null) return;
  throw new GraphQLError(
    name === undefined
      ? 'Must provide operation name if query contains multiple operations.'
      : `Unknown operation named ${JSON.stringify(name)}.`,
  );
}
