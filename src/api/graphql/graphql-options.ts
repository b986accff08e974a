import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { logFailure } from '../logging/log-failure.js';
import { INTERFACES } from '../contract/object-classes.js';
import { sendProblem } from '../errors/send-problem.js';
import { transportErrorOf } from '../errors/transport-error-of.js';
import { noteExecuted } from '../masking/install-masking.js';
import { checkGetRequest } from './check-get-request.js';
import { checkSource } from './check-source.js';
import { checkComplexity } from './complexity.js';
import { isCompilable } from './compilable.js';
import { describeRoots } from './describe-roots.js';
import { formatErrors } from './format-errors.js';
import { GRAPHQL_LIMITS } from './limits.js';
import { connectionContext, greet, subscriptionHooks } from './subscription-hooks.js';
import { paceLists } from './pace-lists.js';
import { PersistedQueries } from './persisted-queries.js';
import { noteWellFormed, setResponseType, statusOfRefusal } from './response-type.js';
import { widthRule } from './width-rule.js';

/** A query is compiled after this many executions. */
const COMPILE_AFTER = 8;

/** The type does not declare `this`. */
type OnConnect = (data: { readonly type: 'connection_init'; readonly payload: unknown }) => Promise<boolean>;

interface HookContext {
  readonly reply?: FastifyReply;
}

/**
 * The GraphQL endpoint: its path, its limits, and its error format.
 * @param heartbeatMs interval between keep-alive messages on a subscription's connection
 */
export function graphqlOptions(log: Logger, heartbeatMs: number): MercuriusDriverConfig {
  const persisted = new PersistedQueries();
  return {
    driver: MercuriusDriver,
    path: '/graphql',
    // The service has its own page, see docs/graphiql.controller.ts.
    graphiql: false,
    autoSchemaFile: true,
    transformSchema: (schema) => paceLists(describeRoots(schema)),
    buildSchemaOptions: { orphanedTypes: INTERFACES },
    // Some fields of a cluster require a permission of their own.
    fieldResolverEnhancers: ['guards'],
    sortSchema: true,
    cache: GRAPHQL_LIMITS.cachedQueries,
    jit: COMPILE_AFTER,
    queryDepth: GRAPHQL_LIMITS.depth,
    validationRules: [widthRule],
    graphql: { parseOptions: { maxLexicalTokens: GRAPHQL_LIMITS.tokens } },
    // One operation for each request: resolvers batch nested lookups, so that callers need not.
    allowBatchedQueries: false,
    additionalRouteOptions: {
      config: { jsonOnly: true },
      preHandler: (request, reply, done) => {
        if (!request.ws) setResponseType(request, reply);
        if (isWellFormed(request)) noteWellFormed(request);
        persisted.resolve(request);
        checkGetRequest(request);
        done();
      },
    },
    context: (request: FastifyRequest) => ({ requestContext: request.requestContext }),
    errorFormatter: (execution, context) => {
      const { reply } = context as HookContext;
      const requestId = reply?.request.id ?? '';
      const { errors, causes, status } = formatErrors(execution.errors, requestId);
      for (const cause of causes) logFailure(log, cause, requestId);
      // An executed query returns 200 even if fields failed; a query that was not executed has its own status.
      return {
        statusCode: 'data' in execution ? 200 : status,
        response: { data: execution.data ?? null, errors: errors as unknown as GraphQLError[] },
      };
    },
    errorHandler: (error, request, reply) => {
      // A rejected handshake is answered to an HTTP client, not a GraphQL client.
      if (request.ws) {
        sendProblem(reply, transportErrorOf(error));
        return;
      }
      const { errors, causes, status } = formatErrors(
        [new GraphQLError(error.message, { originalError: error })],
        request.id,
      );
      for (const cause of causes) logFailure(log, cause, request.id);
      setResponseType(request, reply);
      void reply.code(statusOfRefusal(request, status)).send({ errors });
    },
    subscription: { context: connectionContext, keepAlive: heartbeatMs, onConnect: greet as OnConnect },
    hooks: {
      ...subscriptionHooks,
      preParsing: (_schema: GraphQLSchema, source: string) => {
        checkSource(source);
        return Promise.resolve();
      },
      preExecution: (schema: GraphQLSchema, document: DocumentNode, context: HookContext, variables?: object) => {
        const name = operationName(context);
        checkComplexity(schema, document, variables as Record<string, unknown> | undefined, name);
        if (context.reply !== undefined) {
          noteExecuted(context.reply.request, schema, document, name);
          persisted.noteExecuted(context.reply.request);
        }
        // If a document is returned, Mercurius executes it without compiling it.
        return Promise.resolve(isCompilable(document) ? undefined : { document });
      },
    },
  };
}

/** Whether the request has a query, or the hash of one. */
function isWellFormed({ validationError, body, query }: FastifyRequest): boolean {
  const envelope = (body ?? query) as { readonly query?: unknown; readonly extensions?: unknown } | null;
  const { query: text, extensions } = envelope ?? {};
  return validationError === undefined && ((typeof text === 'string' && text !== '') || extensions !== undefined);
}

function operationName({ reply }: HookContext): string | undefined {
  const { body, query } = reply?.request ?? {};
  const envelope = (body ?? query) as { operationName?: unknown } | undefined;
  return typeof envelope?.operationName === 'string' ? envelope.operationName : undefined;
}
