import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../../app/clock.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { Access } from '../../auth/access.js';
import { IdentityProviderUnavailableError, UnauthenticatedError } from '../../auth/authentication-error.js';
import type { Authenticated, Authenticator } from '../../auth/authenticator.js';
import { ANONYMOUS } from '../../auth/caller.js';
import { admit } from './request-context.decorator.js';
import { deferSocketAuth } from './socket-auth.js';
import type { StreamTickets } from '../../app/live/stream-tickets.js';
import type { RateLimits } from './rate-limits.js';

export interface DoorOptions {
  /** Absent: nobody is asked who it is, and everybody may do everything. */
  readonly authenticator?: Authenticator | undefined;
  /** Absent: everybody may ask as often as they like. */
  readonly limits?: RateLimits | undefined;
  /** Whether metrics are for everybody. */
  readonly metricsOpen: boolean;
  readonly log: Logger;
  readonly clock: Clock;
  /** Tickets that open a stream in the place of a token. */
  readonly tickets: Pick<StreamTickets, 'redeem'>;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The query may have a `ticket` in the place of a token. */
    takesTicket?: boolean;
  }
}

/** A stream that a ticket opened ends after so long: nothing tells by then whether its caller would still be let in. */
const TICKET_STREAM_MS = 60 * 60 * 1000;

const EVERYBODY: Authenticated = { caller: ANONYMOUS, access: Access.everything };
const PROVIDER_RETRY_SECONDS = 5;

/**
 * Finds out who asks before anything else of a request is looked at, its body too: what nobody may ask costs nothing.
 * What they may do is asked later, see access-guard.ts.
 */
export function installAuthHook(fastify: FastifyInstance, options: DoorOptions): void {
  if (options.authenticator === undefined && options.limits === undefined) {
    fastify.addHook('onRequest', (request, _reply, done) => {
      admit(request, EVERYBODY);
      done();
    });
    return;
  }
  const door = new AuthHook(options);
  fastify.addHook('onRequest', (request, reply) => door.meet(request, reply));
}

class AuthHook {
  constructor(private readonly options: DoorOptions) {}

  async meet(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // What is not served is no secret: the documentation lists what is.
    if (this.isOpen(request)) {
      admit(request, EVERYBODY);
      return;
    }
    const { authorization } = request.headers;
    if (request.ws) {
      let met = false;
      deferSocketAuth(request, {
        enter: async (said) => {
          if (!met) await this.enter(request, reply, authorization ?? said);
          met = true;
        },
        count: async () => {
          await this.options.limits?.count(request, reply);
        },
      });
      // A browser's WebSocket has no headers of its own: it says who it is in its first message.
      if (authorization === undefined) return;
      await this.enter(request, reply, authorization);
      met = true;
      return;
    }
    const ticket = authorization === undefined ? ticketOf(request) : undefined;
    if (ticket === undefined) await this.enter(request, reply, authorization);
    else await this.enterWith(ticket, request, reply);
    await this.options.limits?.count(request, reply);
  }

  private async enterWith(ticket: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { authenticator, clock, tickets } = this.options;
    if (authenticator === undefined) {
      admit(request, EVERYBODY);
      return;
    }
    const { now } = request.requestContext;
    const caller = await tickets.redeem(ticket, now);
    if (caller === undefined) {
      await this.turnAway(new UnauthenticatedError('The ticket is unknown, used or expired.'), request, reply);
      return;
    }
    const until = now.getTime() + TICKET_STREAM_MS;
    admit(request, authenticator.known(caller), () =>
      clock.now().getTime() < until
        ? Promise.resolve()
        : Promise.reject(new ServiceError('unauthenticated', 'A stream that a ticket opened lasts an hour at most.')),
    );
  }

  private async enter(request: FastifyRequest, reply: FastifyReply, authorization: string | undefined): Promise<void> {
    const { authenticator, clock } = this.options;
    if (authenticator === undefined) {
      admit(request, EVERYBODY);
      return;
    }
    admit(request, await this.identify(authenticator, request, reply, authorization), async () => {
      try {
        await authenticator.authenticate(authorization, clock.now());
      } catch (error) {
        // Where nobody can tell just now, what was true goes on.
        if (error instanceof UnauthenticatedError) throw new ServiceError('unauthenticated', error.message);
      }
    });
  }

  private isOpen({ is404, routeOptions }: FastifyRequest): boolean {
    if (is404 || routeOptions.config.open === true) return true;
    return this.options.metricsOpen && routeOptions.url === '/metrics';
  }

  private async identify(
    authenticator: Authenticator,
    request: FastifyRequest,
    reply: FastifyReply,
    authorization: string | undefined,
  ): Promise<Authenticated> {
    try {
      // Who speaks on a connection that is open does so later than it was opened.
      const now = request.ws ? this.options.clock.now() : request.requestContext.now;
      return await authenticator.authenticate(authorization, now);
    } catch (error) {
      if (error instanceof IdentityProviderUnavailableError) {
        reply.header('retry-after', PROVIDER_RETRY_SECONDS);
        throw new ServiceError('identity-provider-unavailable', error.message, {
          cause: error.cause,
          retryAfterSeconds: PROVIDER_RETRY_SECONDS,
        });
      }
      if (error instanceof UnauthenticatedError) await this.turnAway(error, request, reply);
      throw error;
    }
  }

  /** Says why, to the caller and to the log; neither gets any part of the token. */
  private async turnAway(error: UnauthenticatedError, request: FastifyRequest, reply: FastifyReply): Promise<never> {
    const { message, given } = error;
    this.options.log.warn({ requestId: request.id, address: request.ip, reason: message }, 'a caller was turned away');
    await this.options.limits?.countFailure(request, reply);
    reply.header('www-authenticate', given ? 'Bearer error="invalid_token"' : 'Bearer');
    throw new ServiceError('unauthenticated', message);
  }
}

function ticketOf({ query, routeOptions }: FastifyRequest): string | undefined {
  const { ticket } = query as { readonly ticket?: unknown };
  return routeOptions.config.takesTicket === true && typeof ticket === 'string' ? ticket : undefined;
}
