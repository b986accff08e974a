import { overload, type CelFunction } from '../declarations.js';
import { parseGoDuration } from '../../kubernetes/go-duration.js';
import { doubleText, plainDecimal, timestamp, toInt, toUint } from '../operations.js';
import { BOOL, BYTES, DOUBLE, DURATION, INT, STRING, TIMESTAMP, UINT, type CelType } from '../types.js';
import { textOfUtf8, utf8 } from '../unescape.js';
import { CelError, Duration, Timestamp, Uint, type Value } from '../values.js';
import { goFloat } from './go-float.js';
import { parseTimestamp, timestampText } from './timestamps.js';

const same = (value: Value): Value => value;

/** A conversion that fails says so like this, whatever the reason is. */
const failed = (from: string, to: string): CelError => new CelError(`type conversion error from '${from}' to '${to}'`);

type Signature = readonly [id: string, from: CelType, run: (value: never) => Value];

const conversion = (name: string, to: CelType, ...signatures: readonly Signature[]): CelFunction => ({
  name,
  overloads: signatures.map(([id, from, run]) => overload(id, [from], to, run as (value: Value) => Value)),
});

const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

function boolOf(text: string): Value {
  if (TRUE.includes(text)) return true;
  return FALSE.includes(text) ? false : failed('string', 'bool');
}

/** `strconv.ParseInt` and `ParseUint`: no underscores, no prefix; a sign for the former only. */
function integerOf(text: string, signed: boolean): Value {
  const to = signed ? 'int' : 'uint';
  if (!(signed ? /^[+-]?[0-9]+$/ : /^[0-9]+$/).test(text)) return failed('string', to);
  const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text.replace('+', ''));
  const checked = signed ? toInt(value) : toUint(value);
  return checked instanceof CelError ? failed('string', to) : checked;
}

const INT_LIMIT = 2 ** 63;
const UINT_LIMIT = 2 ** 64;

function intOfDouble(value: number): Value {
  const isInside = Number.isFinite(value) && value > -INT_LIMIT && value < INT_LIMIT;
  return isInside ? BigInt(Math.trunc(value)) : new CelError('integer overflow');
}

function uintOfDouble(value: number): Value {
  const isInside = Number.isFinite(value) && value >= 0 && value < UINT_LIMIT;
  return isInside ? new Uint(BigInt(Math.trunc(value))) : new CelError('unsigned integer overflow');
}

const NANO = 1_000_000_000n;

/** Whole seconds, rounded down. */
const secondsOf = ({ nanoseconds }: Timestamp): bigint =>
  nanoseconds >= 0n ? nanoseconds / NANO : (nanoseconds - NANO + 1n) / NANO;

function durationOf(text: string): Value {
  const parsed = parseGoDuration(text);
  return 'error' in parsed ? failed('string', 'google.protobuf.Duration') : new Duration(parsed.nanoseconds);
}

/** Seconds as Go's `Duration.Seconds` gives them, as a float, and without an exponent. */
function durationText({ nanoseconds }: Duration): string {
  const seconds = Number(nanoseconds / NANO) + Number(nanoseconds % NANO) / 1e9;
  return `${seconds === 0 ? '0' : plainDecimal(seconds)}s`;
}

/** cel-go v0.26.0, common/stdlib/standard.go, and `ConvertToType` of common/types. */
export const CONVERSIONS: readonly CelFunction[] = [
  conversion('bool', BOOL, ['bool_to_bool', BOOL, same], ['string_to_bool', STRING, boolOf]),
  conversion(
    'bytes',
    BYTES,
    ['bytes_to_bytes', BYTES, same],
    ['string_to_bytes', STRING, (text: string) => Uint8Array.from(utf8(text))],
  ),
  conversion(
    'double',
    DOUBLE,
    ['double_to_double', DOUBLE, same],
    ['int64_to_double', INT, (value: bigint) => Number(value)],
    ['string_to_double', STRING, (text: string) => goFloat(text) ?? failed('string', 'double')],
    ['uint64_to_double', UINT, ({ value }: Uint) => Number(value)],
  ),
  conversion(
    'duration',
    DURATION,
    ['duration_to_duration', DURATION, same],
    ['int64_to_duration', INT, () => failed('int', 'google.protobuf.Duration')],
    ['string_to_duration', STRING, durationOf],
  ),
  conversion(
    'int',
    INT,
    ['int64_to_int64', INT, same],
    ['double_to_int64', DOUBLE, intOfDouble],
    ['duration_to_int64', DURATION, ({ nanoseconds }: Duration) => nanoseconds],
    ['string_to_int64', STRING, (text: string) => integerOf(text, true)],
    ['timestamp_to_int64', TIMESTAMP, secondsOf],
    ['uint64_to_int64', UINT, ({ value }: Uint) => toInt(value)],
  ),
  conversion(
    'string',
    STRING,
    ['string_to_string', STRING, same],
    ['bool_to_string', BOOL, String],
    [
      'bytes_to_string',
      BYTES,
      (bytes: Uint8Array) => textOfUtf8(bytes) ?? new CelError('invalid UTF-8 in bytes, cannot convert to string'),
    ],
    ['double_to_string', DOUBLE, doubleText],
    ['duration_to_string', DURATION, durationText],
    ['int64_to_string', INT, String],
    ['timestamp_to_string', TIMESTAMP, timestampText],
    ['uint64_to_string', UINT, ({ value }: Uint) => String(value)],
  ),
  conversion(
    'timestamp',
    TIMESTAMP,
    ['timestamp_to_timestamp', TIMESTAMP, same],
    ['int64_to_timestamp', INT, (seconds: bigint) => timestamp(seconds * NANO, 0)],
    [
      'string_to_timestamp',
      STRING,
      (text: string) => parseTimestamp(text) ?? failed('string', 'google.protobuf.Timestamp'),
    ],
  ),
  conversion(
    'uint',
    UINT,
    ['uint64_to_uint64', UINT, same],
    ['double_to_uint64', DOUBLE, uintOfDouble],
    ['int64_to_uint64', INT, toUint],
    ['string_to_uint64', STRING, (text: string) => integerOf(text, false)],
  ),
];
