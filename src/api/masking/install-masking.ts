import type { FastifyInstance, FastifyRequest } from 'fastify';
import { getOperationAST, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { ObjectType, UnionType } from '../../contract/schema.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.js';
import { isLongerThan } from '../../core/json/json-length.js';
import { stepPlainJson } from '../../core/json/step-plain-json.js';
import type { RequestContext } from '../../app/request-context.js';
import { finish } from '../../core/collections/finish.js';
import { Slices } from '../../event-loop/slices.js';
import { GraphqlMask, type Executed } from './mask-graphql.js';
import { stepCollected } from '../../app/withheld-values.js';
import { graphqlErrors } from './error-types.js';
import { maskJson } from './mask-json.js';
import { objectMask } from './mask-object.js';
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

/** Responses of at most so many characters are masked in one call. */
const SHORT = 32 * 1024;

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
    if (payload === null || !withholds(requestContext)) {
      done(null, payload);
      return;
    }
    const type = responseTypes.get(requestContext);
    if (isLongerThan(payload, SHORT)) {
      new Slices().run(stepMaskedFor(requestContext, payload, type)).then((masked) => done(null, masked), done);
    } else done(null, maskedFor(requestContext, payload, type));
  });
}

/**
 * The response with the values masked that its caller may not see.
 * @param type absent: masked like the response of the GraphQL query that the request executes, or else like JSON of any form
 */
export function maskedFor(requestContext: RequestContext, answer: unknown, type?: ObjectType | UnionType): unknown {
  return finish(stepMaskedFor(requestContext, answer, type));
}

/** As `maskedFor`, with pauses in between. */
export function* stepMaskedFor(
  requestContext: RequestContext,
  answer: unknown,
  type?: ObjectType | UnionType,
): Generator<undefined, unknown> {
  if (!withholds(requestContext)) return answer;
  if (type !== undefined && objectMask(type) === undefined) return answer;
  const plain = yield* stepPlainJson(answer);
  const values = yield* requestContext.withheld.stepByKey();
  const query = executed.get(requestContext);
  if (type === undefined && query !== undefined) return yield* stepGraphql(query, plain as JsonObject, values);
  return yield* stepMasked(plain, values, type);
}

/** Masks a response, with the values that it has itself besides the given ones. */
function* stepMasked(
  plain: JsonValue,
  values: Map<string, Set<string>>,
  type?: ObjectType | UnionType,
): Generator<undefined, JsonValue> {
  const mask = type === undefined ? undefined : objectMask(type);
  if (mask === undefined || !isJsonObject(plain)) {
    yield* stepCollected(plain, values);
    return maskJson(plain, values);
  }
  yield* mask.stepCollect(plain, values);
  return yield* mask.stepMask(plain, values);
}

function* stepGraphql(
  query: Executed,
  { data = null, ...rest }: JsonObject,
  values: Map<string, Set<string>>,
): Generator<undefined, JsonObject> {
  const mask = new GraphqlMask(query);
  const found = isJsonObject(data) ? data : undefined;
  if (found !== undefined) mask.collect(found, values);
  yield;
  const masked: JsonValue = { data: found === undefined ? null : yield* mask.stepMask(found, values) };
  return { ...masked, ...objectMask(graphqlErrors)!.mask(rest, values) };
}

/** Like `maskedFor`, for a response that is not JSON. */
export function maskedTextFor(requestContext: RequestContext, text: string): string {
  return withholds(requestContext) ? maskText(text, requestContext.withheld.byKey()) : text;
}

function withholds({ access, withheld }: RequestContext): boolean {
  return access.withholdsValues && withheld.any;
}
