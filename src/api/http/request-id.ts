import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Printable and short enough for a log line; callers must not be able to inject arbitrary text into the log. */
const SANE = /^[A-Za-z0-9._:@+/=-]{1,128}$/;

/** The caller's X-Request-Id if it is well-formed, otherwise a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) ? given : randomUUID();
}
