import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerKey } from '../../app/caller-key.js';
import { ServiceError } from '../../app/errors/service-error.js';

const WINDOW_SECONDS = 60;
/** Callers and routes that are counted at the same time; the one that was counted longest ago is forgotten first. */
const MOST_COUNTED = 20_000;

/**
 * An API server asks as often as pods are made, and to turn it away is to fail its webhooks: it may ask so many times as often
 * as any other caller.
 */
const API_SERVER_FACTOR = 10;

type Limiter = ReturnType<FastifyInstance['createRateLimit']>;

/**
 * How often a caller may use a route, and how often an address may fail to say who it is: so many times in each minute. Each
 * replica counts for itself, in memory.
 */
export class RateLimits {
  private constructor(
    private readonly perCaller: Limiter,
    private readonly perApiServer: Limiter,
    private readonly failures: Limiter,
  ) {}

  /** @param perMinute requests of one caller to one route */
  static async install(fastify: FastifyInstance, perMinute: number): Promise<RateLimits> {
    await fastify.register(rateLimit, {
      global: false,
      max: perMinute,
      timeWindow: WINDOW_SECONDS * 1000,
      cache: MOST_COUNTED,
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

function keyOfCaller({ requestContext, method, routeOptions }: FastifyRequest): string {
  return `${callerKey(requestContext)}\n${method} ${routeOptions.url ?? ''}`;
}

/** Counts, and says in the headers of draft-ietf-httpapi-ratelimit-headers-10 what is left. */
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
    `At most ${max} requests in ${WINDOW_SECONDS} seconds; try again in ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  );
}
