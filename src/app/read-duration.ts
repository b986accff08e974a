import { parseDuration } from './duration.js';
import { InvalidRequestError } from './errors/invalid-request-error.js';

/** @throws {InvalidRequestError} */
export function readDuration(text: string, field: string): number {
  const seconds = parseDuration(text);
  if (seconds !== undefined) return seconds;
  const message = 'must be a duration, such as 90 (seconds), 5m, 1h30m or 7d';
  throw new InvalidRequestError([{ field, code: 'isDuration', message }]);
}
