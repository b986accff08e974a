import type { FastifyRequest } from 'fastify';
import { type DocumentNode, GraphQLError, type GraphQLSchema, Location, specifiedRules, validate } from 'graphql';
import type { RequestContext } from '../../app/request-context.js';
import { ERROR_TABLE } from '../errors/error-table.js';
import { authenticateSocket, authenticatedSocket } from '../http/socket-auth.js';
import { nameSocket, noteGreeting, type Socket } from '../http/web-sockets.js';
import { transportErrorOf } from '../errors/transport-error-of.js';
import { checkSource } from './check-source.js';
import { subscriptionError } from './subscription-error.js';
import { widthRule } from './width-rule.js';

/** The state of a connection. */
interface ConnectionContext {
  readonly requestContext: RequestContext;
  readonly request: FastifyRequest;
  readonly socket: Socket;
}

/** The context that resolvers of a connection receive. */
export function connectionContext(
  socket: Socket,
  request: FastifyRequest,
): Pick<ConnectionContext, 'requestContext' | 'socket'> {
  noteGreeting(socket);
  return { requestContext: request.requestContext, socket };
}

/** Application-defined close codes are HTTP statuses plus 4000, as graphql-ws has 4401, 4403 and 4429. */
const CLOSE_CODES = 4000;
/** RFC 6455, section 5.5, for characters of up to three bytes each. */
const MAX_REASON_LENGTH = 40;

/**
 * Handles the first message of a connection. An unauthenticated connection is closed; otherwise it would stay open as
 * long as its client wants.
 * @param this the connection: Mercurius calls this function as its method
 */
export async function greet(
  this: { readonly context: ConnectionContext },
  { payload }: { readonly payload?: unknown },
): Promise<boolean> {
  const { request, socket } = this.context;
  try {
    await authenticateSocket(request, authorizationIn(payload));
    await nameSocket(request);
    return true;
  } catch (thrown) {
    const { code } = transportErrorOf(thrown);
    const { status, title } = ERROR_TABLE[code];
    socket.close(CLOSE_CODES + status, title.slice(0, MAX_REASON_LENGTH));
    return false;
  }
}

/**
 * Mercurius neither validates subscriptions nor checks their limits, and accepts a syntax tree instead of a query text;
 * these hooks check both. Their cost is checked by the resolver, which has the variables.
 */
export const subscriptionHooks = {
  preSubscriptionParsing: (_schema: GraphQLSchema, source: string, context: object) =>
    shaped((context as ConnectionContext).request, () => {
      checkSource(source);
    }),
  preSubscriptionExecution: (schema: GraphQLSchema, document: DocumentNode, context: object) => {
    const { request, requestContext } = context as ConnectionContext;
    return shaped(request, async () => {
      await authenticatedSocket(request);
      if (!(document.loc instanceof Location)) throw new GraphQLError('The query must be a string.');
      const faults = validate(schema, document, [...specifiedRules, widthRule], { maxErrors: 100 });
      if (faults.length > 0) throw subscriptionError(faults, requestContext.requestId);
    });
  },
};

async function shaped(request: FastifyRequest, work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const isShaped = thrown instanceof GraphQLError && 'requestId' in thrown.extensions;
    throw isShaped ? thrown : subscriptionError([thrown], request.id);
  }
}

/** Clients send the header as a connection parameter, or in an object of headers. */
function authorizationIn(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const { headers } = payload as { readonly headers?: unknown };
  for (const place of [payload, headers]) {
    if (typeof place !== 'object' || place === null) continue;
    const found = Object.entries(place).find(([name]) => name.toLowerCase() === 'authorization');
    if (typeof found?.[1] === 'string') return found[1];
  }
  return undefined;
}
