/** RFC 3339 has four digits for a year: 0000 to 9999. */
const FIRST = Date.parse('0000-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59Z');

/** A moment in milliseconds since the epoch as a time; null for none, and for one that RFC 3339 cannot say. */
export function momentOf(at: number | undefined): Date | null {
  return at === undefined || !(at >= FIRST && at <= LAST) ? null : new Date(at);
}
