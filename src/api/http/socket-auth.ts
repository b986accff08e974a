import type { FastifyRequest } from 'fastify';

interface AuthHook {
  /** Finds out who asks, where that is not known yet. */
  readonly enter: (authorization: string | undefined) => Promise<void>;
  /** Counts a question. */
  readonly count: () => Promise<void>;
}

const doors = new WeakMap<FastifyRequest, AuthHook>();

/** Keeps the door of a WebSocket for what comes on it later. */
export function deferSocketAuth(request: FastifyRequest, door: AuthHook): void {
  doors.set(request, door);
}

/**
 * Finds out who is at the other end of a WebSocket.
 * @param authorization what the first message says in the place of the header
 * @throws {ServiceError} as the door throws for requests
 */
export async function authenticateSocket(request: FastifyRequest, authorization: string | undefined): Promise<void> {
  await doors.get(request)?.enter(authorization);
}

/**
 * Lets a question on a WebSocket pass, and counts it.
 * @throws {ServiceError} `rate-limited`
 */
export async function authenticatedSocket(request: FastifyRequest): Promise<void> {
  await doors.get(request)?.count();
}
