import { FIRST_TIME, LAST_TIME } from '../time-bounds.js';

/** A moment in milliseconds since the epoch as a time; null for none, and for one that RFC 3339 cannot say. */
export function momentOf(at: number | undefined): Date | null {
  return at === undefined || !(at >= FIRST_TIME && at <= LAST_TIME) ? null : new Date(at);
}
