import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../../app/clock.js';
import { ServiceError } from '../../app/errors/service-error.js';
import { Access } from '../../auth/access.js';
import { IdentityProviderUnavailableError, UnauthenticatedError } from '../../auth/authentication-error.js';
import type { Authenticated, Authenticator } from '../../auth/authenticator.js';
import { ANONYMOUS } from '../../auth/caller.js';
import { providerUnavailable } from '../errors/provider-unavailable.js';
import { admit } from './request-context.decorator.js';
import { deferSocketAuth } from './socket-auth.js';
import type { StreamTickets } from '../../app/live/stream-tickets.js';
import type { BrowserSessions } from '../session/browser-sessions.js';
import type { RateLimits } from './rate-limits.js';

export interface AuthHookOptions {
  /** Absent: authentication is off, and every caller may do everything. */
  readonly authenticator?: Authenticator | undefined;
  /** Absent: no rate limit. */
  readonly limits?: RateLimits | undefined;
  /** Whether metrics are served without authentication. */
  readonly metricsOpen: boolean;
  readonly log: Logger;
  readonly clock: Clock;
  /** Tickets that open a stream without a token. */
  readonly tickets: Pick<StreamTickets, 'redeem'>;
  /** Absent: browsers cannot log in. */
  readonly browsers?: BrowserSessions | undefined;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the query may have a `ticket` instead of a token. */
    takesTicket?: boolean;
  }
}

/**
 * The lifetime of a stream that was opened with a ticket: a ticket cannot be used to check the caller's access again.
 */
const TICKET_STREAM_MS = 60 * 60 * 1000;

const EVERYBODY: Authenticated = { caller: ANONYMOUS, access: Access.everything };

/**
 * Authenticates the caller before anything else of a request is processed, its body included, so that unauthenticated
 * requests cost little. Permissions are checked later, see access-guard.ts.
 */
export function installAuthHook(fastify: FastifyInstance, options: AuthHookOptions): void {
  if (options.authenticator === undefined && options.limits === undefined) {
    fastify.addHook('onRequest', (request, _reply, done) => {
      admit(request, EVERYBODY);
      done();
    });
    return;
  }
  const authHook = new AuthHook(options);
  fastify.addHook('onRequest', (request, reply) => authHook.meet(request, reply));
}

class AuthHook {
  constructor(private readonly options: AuthHookOptions) {}

  async meet(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // Unknown routes need no protection: the documentation lists all routes.
    if (this.isOpen(request)) {
      admit(request, EVERYBODY);
      return;
    }
    const { authorization } = request.headers;
    if (authorization === undefined && this.options.browsers?.has(request) === true) {
      await this.enterWithSession(this.options.browsers, request, reply);
      await this.options.limits?.count(request, reply);
      return;
    }
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
      // A browser's WebSocket cannot send headers, so the client authenticates in its first message.
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

  private async enterWithSession(
    browsers: BrowserSessions,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const OVER = 'The session has ended. Log in again.';
    const found = await browsers.callerOf(request, request.requestContext.now);
    if (found === undefined) {
      await this.reject(new UnauthenticatedError(OVER), request, reply);
      return;
    }
    admit(request, found, async () => {
      if ((await browsers.callerOf(request, this.options.clock.now())) === undefined) {
        throw new ServiceError('unauthenticated', OVER);
      }
    });
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
      await this.reject(
        new UnauthenticatedError('The ticket is unknown, used or expired. Create a new ticket.'),
        request,
        reply,
      );
      return;
    }
    const until = now.getTime() + TICKET_STREAM_MS;
    admit(request, authenticator.known(caller), () =>
      clock.now().getTime() < until
        ? Promise.resolve()
        : Promise.reject(
            new ServiceError(
              'unauthenticated',
              'A stream opened with a ticket lasts at most one hour. Create a new ticket and reconnect.',
            ),
          ),
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
        // If the identity provider is unavailable, the stream continues.
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
      // A client on an open connection authenticates after the request was received.
      const now = request.ws ? this.options.clock.now() : request.requestContext.now;
      return await authenticator.authenticate(authorization, now);
    } catch (error) {
      if (error instanceof IdentityProviderUnavailableError) throw providerUnavailable(error);
      if (error instanceof UnauthenticatedError) await this.reject(error, request, reply);
      throw error;
    }
  }

  /** Reports the reason to the caller and the log, without any part of the token. */
  private async reject(error: UnauthenticatedError, request: FastifyRequest, reply: FastifyReply): Promise<never> {
    const { message, given } = error;
    this.options.log.warn({ requestId: request.id, address: request.ip, reason: message }, 'a caller was rejected');
    await this.options.limits?.countFailure(request, reply);
    reply.header('www-authenticate', given ? 'Bearer error="invalid_token"' : 'Bearer');
    throw new ServiceError('unauthenticated', message);
  }
}

function ticketOf({ query, routeOptions }: FastifyRequest): string | undefined {
  const { ticket } = query as { readonly ticket?: unknown };
  return routeOptions.config.takesTicket === true && typeof ticket === 'string' ? ticket : undefined;
}
