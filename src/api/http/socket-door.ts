import type { FastifyRequest } from 'fastify';

type Door = (authorization: string | undefined) => Promise<void>;

const doors = new WeakMap<FastifyRequest, Door>();

/** Keeps the door of a WebSocket for what is asked on it later. */
export function keepDoor(request: FastifyRequest, door: Door): void {
  doors.set(request, door);
}

/**
 * Lets a question on a WebSocket pass: finds out who asks, where that is not known, and counts it.
 * @param authorization what the first message says in the place of the header
 * @throws {ServiceError} as the door throws for requests
 */
export async function passDoor(request: FastifyRequest, authorization: string | undefined): Promise<void> {
  await doors.get(request)?.(authorization);
}
