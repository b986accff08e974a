import { method, type CelFunction, type Overload } from '../declarations.js';
import { CelUnsupported } from '../errors.js';
import { quoteGo } from '../../kubernetes/go-text.js';
import { DURATION, INT, STRING, TIMESTAMP } from '../types.js';
import { CelError, type Duration, type Timestamp, type Value } from '../values.js';
import { partsOf, type TimeParts } from './timestamps.js';

/** Minutes east of UTC, or an error: `UTC`, or hours and minutes with a colon between them. */
function offsetOf(zone: string): number | CelError {
  const colon = zone.indexOf(':');
  if (colon === -1) {
    if (zone === '' || zone === 'UTC') return 0;
    throw new CelUnsupported(`the time zone ${zone}`);
  }
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)].map(integer);
  if (hours instanceof CelError) return hours;
  if (minutes instanceof CelError) return minutes;
  return zone.startsWith('-') ? hours! * 60 - minutes! : hours! * 60 + minutes!;
}

/** `strconv.Atoi`. */
const integer = (text: string): number | CelError =>
  /^[+-]?[0-9]+$/.test(text) ? Number(text) : new CelError(`strconv.Atoi: parsing ${quoteGo(text)}: invalid syntax`);

const DAY = 86_400_000;

function dayOfYear(date: Date): number {
  const first = new Date(0);
  first.setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - first.getTime()) / DAY);
}

const ofTimestamp = (id: string, part: (parts: TimeParts) => number): Overload[] => [
  method(id, [TIMESTAMP], INT, (time) => BigInt(part(partsOf(time as Timestamp, 0)))),
  method(`${id}_with_tz`, [TIMESTAMP, STRING], INT, (time, zone) => {
    const offset = offsetOf(zone as string);
    return offset instanceof CelError ? offset : BigInt(part(partsOf(time as Timestamp, offset)));
  }),
];

const ofDuration = (id: string, unit: bigint): Overload =>
  method(id, [DURATION], INT, (span: Value) => (span as Duration).nanoseconds / unit);

/** cel-go v0.26.0, common/stdlib/standard.go; times are read in UTC unless a zone is given. */
export const TIME_FUNCTIONS: readonly CelFunction[] = [
  { name: 'getFullYear', overloads: ofTimestamp('timestamp_to_year', ({ date }) => date.getUTCFullYear()) },
  { name: 'getMonth', overloads: ofTimestamp('timestamp_to_month', ({ date }) => date.getUTCMonth()) },
  { name: 'getDayOfYear', overloads: ofTimestamp('timestamp_to_day_of_year', ({ date }) => dayOfYear(date)) },
  { name: 'getDayOfMonth', overloads: ofTimestamp('timestamp_to_day_of_month', ({ date }) => date.getUTCDate() - 1) },
  { name: 'getDate', overloads: ofTimestamp('timestamp_to_day_of_month_1_based', ({ date }) => date.getUTCDate()) },
  { name: 'getDayOfWeek', overloads: ofTimestamp('timestamp_to_day_of_week', ({ date }) => date.getUTCDay()) },
  {
    name: 'getHours',
    overloads: [
      ...ofTimestamp('timestamp_to_hours', ({ date }) => date.getUTCHours()),
      ofDuration('duration_to_hours', 3_600_000_000_000n),
    ],
  },
  {
    name: 'getMinutes',
    overloads: [
      ...ofTimestamp('timestamp_to_minutes', ({ date }) => date.getUTCMinutes()),
      ofDuration('duration_to_minutes', 60_000_000_000n),
    ],
  },
  {
    name: 'getSeconds',
    overloads: [
      ...ofTimestamp('timestamp_to_seconds_tz', ({ date }) => date.getUTCSeconds()),
      ofDuration('duration_to_seconds', 1_000_000_000n),
    ],
  },
  {
    name: 'getMilliseconds',
    overloads: [
      ...ofTimestamp('timestamp_to_milliseconds', ({ nanoseconds }) => Math.trunc(nanoseconds / 1_000_000)),
      ofDuration('duration_to_milliseconds', 1_000_000n),
    ],
  },
];
