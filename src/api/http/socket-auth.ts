import type { FastifyRequest } from 'fastify';

interface AuthHook {
  /** Authenticates the caller, if that has not happened yet. */
  readonly enter: (authorization: string | undefined) => Promise<void>;
  /** Counts a request for the rate limit. */
  readonly count: () => Promise<void>;
}

const hooks = new WeakMap<FastifyRequest, AuthHook>();

/** Stores the authentication of a WebSocket for its later messages. */
export function deferSocketAuth(request: FastifyRequest, hook: AuthHook): void {
  hooks.set(request, hook);
}

/**
 * Authenticates the client of a WebSocket.
 * @param authorization the value in the first message, which replaces the header
 * @throws {ServiceError} like the authentication hook
 */
export async function authenticateSocket(request: FastifyRequest, authorization: string | undefined): Promise<void> {
  await hooks.get(request)?.enter(authorization);
}

/**
 * Counts a request on a WebSocket for the rate limit.
 * @throws {ServiceError} `rate-limited`
 */
export async function authenticatedSocket(request: FastifyRequest): Promise<void> {
  await hooks.get(request)?.count();
}
