/** The last moment that a time of JavaScript can be, some 275,000 years from now. */
const LATEST = 8.64e15;

/** A moment in milliseconds since the epoch as a time; null for none, and for one that no calendar has. */
export function momentOf(at: number | undefined): Date | null {
  return at === undefined || !(Math.abs(at) <= LATEST) ? null : new Date(at);
}
