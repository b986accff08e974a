import { FIRST_TIME, LAST_TIME } from '../time-bounds.js';

/** Converts milliseconds since the epoch to a time; null if undefined or outside the range of RFC 3339. */
export function momentOf(at: number | undefined): Date | null {
  return at === undefined || !(at >= FIRST_TIME && at <= LAST_TIME) ? null : new Date(at);
}
