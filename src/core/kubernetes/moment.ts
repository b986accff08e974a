import type { Timestamp } from './objects/meta.js';

const RFC3339 = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:[.,](\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * An RFC 3339 time in microseconds since the epoch, the resolution of `metav1.MicroTime` in audit events; undefined for an
 * invalid time. Exact, because 2^53 microseconds reach beyond the year 2200.
 */
export function microsecondsOf(time: Timestamp): number | undefined {
  const [, date, clock, fraction = '', zone] = RFC3339.exec(time) ?? [];
  if (date === undefined || clock === undefined || zone === undefined) return undefined;
  const milliseconds = Date.parse(`${date}T${clock}${zone.toUpperCase()}`);
  if (Number.isNaN(milliseconds)) return undefined;
  return milliseconds * 1000 + Number(fraction.slice(0, 6).padEnd(6, '0'));
}

/** The same in milliseconds; undefined for an invalid or absent time. */
export function millisecondsOf(time: Timestamp | undefined): number | undefined {
  const microseconds = time === undefined ? undefined : microsecondsOf(time);
  return microseconds === undefined ? undefined : microseconds / 1_000;
}

/**
 * The end of the second that contains a time, as RFC 3339. A `metav1.Time` is truncated to whole seconds, so the actual time
 * was before this end.
 */
export function endOfSecond(microseconds: number): Timestamp {
  return new Date(Math.floor(microseconds / SECOND) * 1000 + 1000).toISOString().replace('.000Z', 'Z');
}

/** One second in microseconds. */
export const SECOND = 1_000_000;
