import { quoteGo } from '../go-text.js';
import { isTimeZone } from './time-zones.js';

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly names: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** Minute, hour, day of the month, month, day of the week. */
const FIELDS: readonly Bounds[] = [
  { least: 0, most: 59, names: [] },
  { least: 0, most: 23, names: [] },
  { least: 1, most: 31, names: [] },
  { least: 1, most: 12, names: MONTHS },
  { least: 0, most: 6, names: DAYS },
];
const DESCRIPTORS: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);
const EVERY = '@every ';
/** `time.ParseDuration`. */
const DURATION = /^[+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/;

const GREATEST = 2n ** 63n - 1n;

class ScheduleError extends Error {}

/**
 * Why a schedule of a CronJob cannot be read; undefined if it can.
 *
 * Source: github.com/robfig/cron/v3 v3.0.1, parser.go, `ParseStandard`.
 */
export function cronScheduleFault(schedule: string): string | undefined {
  const [, , zone, rest] = /^(CRON_)?TZ=([^ ]*) (.*)$/s.exec(schedule) ?? [];
  const ofZone = zone === undefined ? undefined : zoneFault(zone);
  if (ofZone !== undefined) return `provided bad location ${zone}: ${ofZone}`;
  const text = rest?.trim() ?? schedule;
  if (text.startsWith('@')) return descriptorFault(text);
  const parts = text.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== FIELDS.length) {
    return `expected exactly ${FIELDS.length} fields, found ${parts.length}: [${parts.join(' ')}]`;
  }
  try {
    parts.forEach((part, index) => {
      for (const range of part.split(',').filter((one) => one !== '')) readRange(range, FIELDS[index]!);
    });
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleError) return error.message;
    throw error;
  }
}

/** `time.LoadLocation`. */
function zoneFault(zone: string): string | undefined {
  if (zone === '' || isTimeZone(zone)) return undefined;
  const isPath = zone.includes('..') || zone.startsWith('/') || zone.startsWith('\\');
  return isPath ? 'time: invalid location name' : `unknown time zone ${zone}`;
}

function descriptorFault(text: string): string | undefined {
  if (DESCRIPTORS.has(text)) return undefined;
  if (!text.startsWith(EVERY)) return `unrecognized descriptor: ${text}`;
  const duration = text.slice(EVERY.length);
  if (DURATION.test(duration)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${quoteGo(duration)}`;
}

/** @throws ScheduleError */
function readRange(text: string, { least, most, names }: Bounds): void {
  const [range = '', step, ...steps] = text.split('/');
  const [low = '', high, ...more] = range.split('-');
  let [start, end] = [least, most];
  if (low !== '*' && low !== '?') {
    start = numberOf(low, names, least);
    if (more.length > 0) throw new ScheduleError(`too many hyphens: ${text}`);
    end = high === undefined ? start : numberOf(high, names, least);
  }
  if (steps.length > 0) throw new ScheduleError(`too many slashes: ${text}`);
  const width = step === undefined ? 1 : integerOf(step);
  if (step !== undefined && high === undefined) end = most;
  if (start < least) throw new ScheduleError(`beginning of range (${start}) below minimum (${least}): ${text}`);
  if (end > most) throw new ScheduleError(`end of range (${end}) above maximum (${most}): ${text}`);
  if (start > end) throw new ScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (width === 0) throw new ScheduleError(`step of range should be a positive number: ${text}`);
}

function numberOf(text: string, names: readonly string[], first: number): number {
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? integerOf(text) : first + index;
}

function integerOf(text: string): number {
  const failed = (why: string): ScheduleError =>
    new ScheduleError(`failed to parse int from ${text}: strconv.Atoi: parsing ${quoteGo(text)}: ${why}`);
  if (!/^\+?\d+$/.test(text)) throw failed('invalid syntax');
  if (BigInt(text.replace('+', '')) > GREATEST) throw failed('value out of range');
  return Number(text);
}
