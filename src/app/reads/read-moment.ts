import { InvalidRequestError } from '../errors/invalid-request-error.js';
import { readDuration } from '../read-duration.js';
import { isRfc3339 } from '../rfc3339.js';
import type { ReadAt } from './read-at.js';

/**
 * Parses a state given as one value: a revision number, `head`, or a time.
 * @param field name of the parameter, for errors
 */
export function readMoment(text: string, field: string): ReadAt {
  if (text === 'head') return {};
  if (/^[1-9]\d{0,9}$/.test(text)) return { revision: Number(text) };
  if (isRfc3339(text)) return { at: new Date(text) };
  const message = 'must be a revision number, head, or an RFC 3339 time such as 2026-05-04T03:02:01Z';
  throw new InvalidRequestError([{ field, code: 'isMoment', message }]);
}

/** The option that rejects states older than `maxAge`. */
export function maxAgeSeconds(maxAge: string | undefined): Pick<ReadAt, 'maxAgeSeconds'> {
  return maxAge === undefined ? {} : { maxAgeSeconds: readDuration(maxAge, 'maxAge') };
}
