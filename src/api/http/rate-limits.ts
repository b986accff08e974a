import rateLimit, { type FastifyRateLimitStore, type FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerKey } from '../../app/caller-key.js';
import type { SharedCounts } from '../../app/shared-counts.js';
import { ServiceError } from '../../app/errors/service-error.js';

const WINDOW_SECONDS = 60;

/**
 * An API server sends a request for every new pod, and rejecting one fails its webhook, so it gets this multiple of the
 * limit.
 */
const API_SERVER_FACTOR = 10;

type Limiter = ReturnType<FastifyInstance['createRateLimit']>;

/**
 * Limits the requests of a caller to a route, and the failed authentications of an address, in each minute. Each
 * replica counts for itself, in memory, over all its processes.
 */
export class RateLimits {
  private constructor(
    private readonly perCaller: Limiter,
    private readonly perApiServer: Limiter,
    private readonly failures: Limiter,
  ) {}

  /** @param perMinute requests of one caller to one route */
  static async install(fastify: FastifyInstance, perMinute: number, counts: SharedCounts): Promise<RateLimits> {
    await fastify.register(rateLimit, {
      global: false,
      max: perMinute,
      timeWindow: WINDOW_SECONDS * 1000,
      store: storeIn(counts),
    });
    return new RateLimits(
      fastify.createRateLimit({ keyGenerator: keyOfCaller }),
      fastify.createRateLimit({ keyGenerator: keyOfCaller, max: perMinute * API_SERVER_FACTOR }),
      fastify.createRateLimit({ keyGenerator: ({ ip }) => ip }),
    );
  }

  /** @throws {ServiceError} `rate-limited` */
  async count(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await limit(
      request.routeOptions.config.fromApiServer === true ? this.perApiServer : this.perCaller,
      request,
      reply,
    );
  }

  /** @throws {ServiceError} `rate-limited` */
  async countFailure(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await limit(this.failures, request, reply);
  }
}

/** Counts with the other processes, which install the same limiters in the same order. */
function storeIn(counts: SharedCounts): FastifyRateLimitStoreCtor {
  let limiters = 0;
  return class Store implements FastifyRateLimitStore {
    private readonly prefix = `${limiters++}\n`;

    incr(key: string, done: Parameters<FastifyRateLimitStore['incr']>[1]): void {
      counts.hit(this.prefix + key, WINDOW_SECONDS * 1000).then(
        (counted) => {
          done(null, counted);
        },
        (error: unknown) => {
          done(error as Error);
        },
      );
    }

    child(): Store {
      return new Store();
    }
  };
}

function keyOfCaller({ requestContext, method, routeOptions }: FastifyRequest): string {
  return `${callerKey(requestContext)}\n${method} ${routeOptions.url ?? ''}`;
}

/** Counts the request and sets the headers of draft-ietf-httpapi-ratelimit-headers-10. */
async function limit(limiter: Limiter, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const counted = await limiter(request);
  if (counted.isAllowed) return;
  const { max, remaining, ttlInSeconds, isExceeded } = counted;
  reply.header('ratelimit-policy', `"requests";q=${max};w=${WINDOW_SECONDS}`);
  reply.header('ratelimit', `"requests";r=${remaining};t=${ttlInSeconds}`);
  if (!isExceeded) return;
  const retryAfterSeconds = Math.max(1, ttlInSeconds);
  reply.header('retry-after', retryAfterSeconds);
  throw new ServiceError(
    'rate-limited',
    `At most ${max} requests are allowed in ${WINDOW_SECONDS} seconds; retry in ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  );
}
