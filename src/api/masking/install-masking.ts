import type { FastifyInstance, FastifyRequest } from 'fastify';
import { getOperationAST, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { ObjectType, UnionType } from '../../contract/schema.js';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { RequestContext } from '../../app/request-context.js';
import { bodyText } from '../http/written-body.js';
import { GraphqlMask, type Executed } from './mask-graphql.js';
import { collectValues } from '../../app/withheld-values.js';
import { graphqlErrors } from './error-types.js';
import { maskJson } from './mask-json.js';
import { isObject, objectMask } from './mask-object.js';
import { maskText } from './mask-text.js';

const executed = new WeakMap<RequestContext, Executed>();

/** Remembers the query that a GraphQL request executes, if its response may have to be masked. */
export function noteExecuted(
  { requestContext }: FastifyRequest,
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
): void {
  if (!requestContext.access.withholdsValues) return;
  const operation = getOperationAST(document, operationName);
  if (operation != null) executed.set(requestContext, { schema, document, operation });
}

const responseTypes = new WeakMap<RequestContext, ObjectType>();

/** Remembers the type of the response to a request, if it may have to be masked. */
export function noteResponseType(requestContext: RequestContext, type: ObjectType): void {
  if (requestContext.access.withholdsValues) responseTypes.set(requestContext, type);
}

/**
 * Masks the values of taints and tolerations in responses to callers that may not see them. All responses of REST and
 * GraphQL pass this hook; streamed responses are masked record by record.
 */
export function installMasking(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request: FastifyRequest, _reply, payload: unknown, done) => {
    const { requestContext } = request;
    if (payload === null || !withholds(requestContext)) done(null, payload);
    else done(null, maskedFor(requestContext, payload, responseTypes.get(requestContext)));
  });
}

/**
 * The response with the values masked that its caller may not see.
 * @param type absent: masked like the response of the GraphQL query that the request executes, or else like JSON of any form
 */
export function maskedFor(requestContext: RequestContext, answer: unknown, type?: ObjectType | UnionType): unknown {
  if (!withholds(requestContext)) return answer;
  if (type !== undefined && objectMask(type) === undefined) return answer;
  const plain = parseJson(bodyText(answer));
  const values = requestContext.withheld.byKey();
  const query = executed.get(requestContext);
  if (type === undefined && query !== undefined) return maskedGraphql(query, plain as JsonObject, values);
  return maskPlain(plain, values, type);
}

/** Masks a response, with the values that it has itself besides the given ones. */
function maskPlain(plain: JsonValue, values: Map<string, Set<string>>, type?: ObjectType | UnionType): JsonValue {
  const mask = type === undefined ? undefined : objectMask(type);
  if (mask === undefined || !isObject(plain)) {
    collectValues(plain, values);
    return maskJson(plain, values);
  }
  mask.collect(plain, values);
  return mask.mask(plain, values);
}

function maskedGraphql(
  query: Executed,
  { data = null, ...rest }: JsonObject,
  values: Map<string, Set<string>>,
): JsonObject {
  const mask = new GraphqlMask(query);
  const found = isObject(data) ? data : undefined;
  if (found !== undefined) mask.collect(found, values);
  const masked: JsonValue = { data: found === undefined ? null : mask.mask(found, values) };
  return { ...masked, ...objectMask(graphqlErrors)!.mask(rest, values) };
}

/** Like `maskedFor`, for a response that is not JSON. */
export function maskedTextFor(requestContext: RequestContext, text: string): string {
  return withholds(requestContext) ? maskText(text, requestContext.withheld.byKey()) : text;
}

function withholds({ access, withheld }: RequestContext): boolean {
  return access.withholdsValues && withheld.any;
}
