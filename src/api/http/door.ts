import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ServiceError } from '../../app/errors/service-error.js';
import { Access } from '../../auth/access.js';
import { IdentityProviderUnavailableError, UnauthenticatedError } from '../../auth/authentication-error.js';
import type { Authenticated, Authenticator } from '../../auth/authenticator.js';
import { ANONYMOUS } from '../../auth/caller.js';
import { admit } from '../edge.js';
import type { RateLimits } from './rate-limits.js';

export interface DoorOptions {
  /** Absent: nobody is asked who it is, and everybody may do everything. */
  readonly authenticator?: Authenticator | undefined;
  /** Absent: everybody may ask as often as they like. */
  readonly limits?: RateLimits | undefined;
  /** Whether metrics are for everybody. */
  readonly metricsOpen: boolean;
  readonly log: Logger;
}

const EVERYBODY: Authenticated = { caller: ANONYMOUS, access: Access.everything };
const PROVIDER_RETRY_SECONDS = 5;

/**
 * Finds out who asks before anything else of a request is looked at, its body too: what nobody may ask costs nothing.
 * What they may do is asked later, see access-guard.ts.
 */
export function installDoor(fastify: FastifyInstance, options: DoorOptions): void {
  if (options.authenticator === undefined && options.limits === undefined) {
    fastify.addHook('onRequest', (request, _reply, done) => {
      admit(request, EVERYBODY);
      done();
    });
    return;
  }
  const door = new Door(options);
  fastify.addHook('onRequest', (request, reply) => door.meet(request, reply));
}

class Door {
  constructor(private readonly options: DoorOptions) {}

  async meet(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // What is not served is no secret: the documentation lists what is.
    if (this.isOpen(request)) {
      admit(request, EVERYBODY);
      return;
    }
    admit(request, await this.identify(request, reply));
    await this.options.limits?.count(request, reply);
  }

  private isOpen({ is404, routeOptions }: FastifyRequest): boolean {
    if (is404 || routeOptions.config.open === true) return true;
    return this.options.metricsOpen && routeOptions.url === '/metrics';
  }

  private async identify(request: FastifyRequest, reply: FastifyReply): Promise<Authenticated> {
    const { authenticator } = this.options;
    if (authenticator === undefined) return EVERYBODY;
    try {
      return await authenticator.authenticate(request.headers.authorization, request.edge.now);
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
