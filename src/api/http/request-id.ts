import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Printable, and short enough for a log line; anything else would let a caller write into the log what he likes. */
const SANE = /^[A-Za-z0-9._:@+/=-]{1,128}$/;

/** The caller's X-Request-Id if it is sane, otherwise a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : randomUUID();
}
