import { timestamp } from '../operations.js';
import type { Timestamp, Value } from '../values.js';

const NANO = 1_000_000_000n;
const MINUTE = 60;

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/**
 * A time as Go's `time.Parse(time.RFC3339, ...)` reads it, or undefined.
 *
 * Source: Go, time/format.go and format_rfc3339.go.
 */
export function parseTimestamp(text: string): Value | undefined {
  const parts = RFC_3339.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = parts.slice(7) as (string | undefined)[];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  if (Number(offsetHours) > 24 || Number(offsetMinutes) > 60) return undefined;
  const offset = (Number(offsetHours) * MINUTE + Number(offsetMinutes)) * (sign === '-' ? -1 : 1);
  const seconds =
    BigInt(daysSince1970(year, month, day)) * 86_400n + BigInt((hour * MINUTE + minute - offset) * 60 + second);
  return timestamp(seconds * NANO + BigInt(fraction.slice(0, 9).padEnd(9, '0')), offset);
}

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const daysIn = (year: number, month: number): number =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;

function daysSince1970(year: number, month: number, day: number): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return Math.floor(date.getTime() / 86_400_000);
}

/** The parts of a time, in a zone so many minutes east of UTC. */
export interface TimeParts {
  readonly date: Date;
  readonly nanoseconds: number;
}

export function partsOf({ nanoseconds }: Timestamp, offset: number): TimeParts {
  const within = ((nanoseconds % NANO) + NANO) % NANO;
  const seconds = Number((nanoseconds - within) / NANO) + offset * MINUTE;
  return { date: new Date(seconds * 1000), nanoseconds: Number(within) };
}

/** As Go's `time.RFC3339Nano` writes it, in the zone that it was written in. */
export function timestampText(value: Timestamp): string {
  const { date, nanoseconds } = partsOf(value, value.offset);
  const fraction = nanoseconds === 0 ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`;
  return `${date.toISOString().slice(0, 19)}${fraction}${zoneText(value.offset)}`;
}

function zoneText(offset: number): string {
  if (offset === 0) return 'Z';
  const two = (count: number): string => String(count).padStart(2, '0');
  const minutes = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${two(Math.trunc(minutes / MINUTE))}:${two(minutes % MINUTE)}`;
}
