import type { FastifyInstance, FastifyRequest } from 'fastify';
import { getOperationAST, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { JsonObject, JsonValue } from '../../core/json/json-value.js';
import { parseJson } from '../../core/json/lossless-json.js';
import type { RequestContext } from '../../app/request-context.js';
import { bodyText } from '../http/written-body.js';
import { GraphqlMask, type Executed } from './mask-graphql.js';
import { collectValues } from '../../app/withheld-values.js';
import { maskJson } from './mask-json.js';
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

/**
 * Masks the values of taints and tolerations in responses to callers that may not see them. All responses of REST and
 * GraphQL pass this hook; streamed responses are masked record by record.
 */
export function installMasking(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request: FastifyRequest, _reply, payload: unknown, done) => {
    const { requestContext } = request;
    if (payload === null || !withholds(requestContext)) done(null, payload);
    else done(null, maskedFor(requestContext, payload));
  });
}

/** The response with the values masked that its caller may not see. */
export function maskedFor(requestContext: RequestContext, answer: unknown): unknown {
  if (!withholds(requestContext)) return answer;
  const plain = parseJson(bodyText(answer));
  const values = requestContext.withheld.byKey();
  const query = executed.get(requestContext);
  if (query === undefined) {
    collectValues(plain, values);
    return maskJson(plain, values);
  }
  const { data = null, ...rest } = plain as JsonObject;
  const mask = new GraphqlMask(query);
  const found = data as JsonObject | null;
  if (found !== null) mask.collect(found, values);
  const masked: JsonValue = { data: found === null ? null : mask.mask(found, values) };
  return { ...masked, ...(maskJson(rest, values) as JsonObject) };
}

/** Like `maskedFor`, for a response that is not JSON. */
export function maskedTextFor(requestContext: RequestContext, text: string): string {
  return withholds(requestContext) ? maskText(text, requestContext.withheld.byKey()) : text;
}

function withholds({ access, withheld }: RequestContext): boolean {
  return access.withholdsValues && withheld.any;
}
