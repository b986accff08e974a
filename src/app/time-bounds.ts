/** The first and last whole second in the range of RFC 3339, whose years have four digits. */
export const FIRST_TIME = Date.parse('0000-01-01T00:00:00Z');
export const LAST_TIME = Date.parse('9999-12-31T23:59:59Z');

/**
 * Times in requests must be before this. The longest timer adds about 292 years, and the result must be in the range of
 * RFC 3339.
 */
export const MAX_TIME = Date.parse('9700-01-01T00:00:00Z');

export const TOO_LATE = 'must be before the year 9700';
