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

/** What is known of a connection. */
interface ConnectionContext {
  readonly requestContext: RequestContext;
  readonly request: FastifyRequest;
  readonly socket: Socket;
}

/** What resolvers find of a connection. */
export function connectionContext(
  socket: Socket,
  request: FastifyRequest,
): Pick<ConnectionContext, 'requestContext' | 'socket'> {
  noteGreeting(socket);
  return { requestContext: request.requestContext, socket };
}

/** Close codes of our own are those of HTTP beyond 4000; graphql-ws has 4401, 4403 and 4429 so too. */
const CLOSE_CODES = 4000;
/** RFC 6455, section 5.5, in characters that may take three bytes each. */
const LONGEST_REASON = 40;

/**
 * Takes the first message of a connection. Whoever may not come in is not kept: a connection without a caller would be open
 * as long as its client likes.
 * @param this mercurius calls it as a method of its connection
 */
export async function greet(
  this: { readonly context: ConnectionContext },
  { payload }: { readonly payload?: unknown },
): Promise<boolean> {
  const { request, socket } = this.context;
  try {
    await authenticateSocket(request, authorizationIn(payload));
    nameSocket(request);
    return true;
  } catch (thrown) {
    const { code } = transportErrorOf(thrown);
    const { status, title } = ERROR_TABLE[code];
    socket.close(CLOSE_CODES + status, title.slice(0, LONGEST_REASON));
    return false;
  }
}

/**
 * What mercurius does for requests and not for subscriptions: it neither validates them nor looks at their limits, and
 * would take a syntax tree in the place of a text. What they may cost is looked at by their resolver, which has the variables.
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
      if (!(document.loc instanceof Location)) throw new GraphQLError('The query must be a text.');
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

/** Clients write it as they like: a header among the parameters of the connection, or in an object of headers. */
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
