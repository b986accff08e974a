/** The first and the last whole second of the years that RFC 3339 has: years have four digits there. */
export const FIRST_TIME = Date.parse('0000-01-01T00:00:00Z');
export const LAST_TIME = Date.parse('9999-12-31T23:59:59Z');

/**
 * Moments that a question names lie before this one. What follows from a moment may come the longest timer there is, some 292 years,
 * after it, and has to be a time of RFC 3339 still, whose years have four digits.
 */
export const LATEST_TIME = Date.parse('9700-01-01T00:00:00Z');

export const TOO_LATE = 'must be before the year 9700';
