import {
  CelError,
  CelMap,
  CelObject,
  Duration,
  isError,
  isList,
  noSuchOverload,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  UnknownValue,
  compareText,
  type Value,
} from './values.js';

/** A value of a Kubernetes library, which says itself what is equal to it. */
export abstract class LibraryValue extends CelObject {
  /** False, true, or an error for a value of another type. */
  abstract equals(other: Value): boolean | CelError;
  /** Bytes or elements, for the cost of a call; 1 where a value has no size. */
  readonly size: number = 1;
}

/**
 * `a == b`. Numbers of different types are equal if they stand for the same number.
 *
 * Source: cel-go v0.26.0, common/types, `Equal`.
 */
export function equal(a: Value, b: Value): boolean | CelError {
  if (a === null || b === null) return a === b;
  if (isError(a)) return a;
  if (isError(b)) return b;
  if (a instanceof UnknownValue) return a.refuse();
  if (b instanceof UnknownValue) return b.refuse();
  if (isNumber(a)) return isNumber(b) && !isNotANumber(a) && !isNotANumber(b) && compareNumbers(a, b) === 0;
  if (isList(a))
    return isList(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]!) !== false);
  if (a instanceof CelMap) return b instanceof CelMap && equalMaps(a, b);
  if (a instanceof Uint8Array) {
    return b instanceof Uint8Array && a.length === b.length && a.every((byte, index) => byte === b[index]);
  }
  if (a instanceof Duration) return b instanceof Duration && a.nanoseconds === b.nanoseconds;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanoseconds === b.nanoseconds;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) {
    if (!(b instanceof Optional)) return false;
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return equal(a.value, b.value);
  }
  if (a instanceof LibraryValue) return a.equals(b);
  return a === b;
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false;
  return a.all().every(([key, value]) => {
    const other = b.find(key);
    return other !== undefined && equal(value, other) !== false;
  });
}

export type Numeric = bigint | number | Uint;

export const isNumber = (value: Value): value is Numeric =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;

const isNotANumber = (value: Numeric): boolean => typeof value === 'number' && Number.isNaN(value);

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** As cel-go has it: an integer is rounded to a double to be compared with one. */
function compareNumbers(a: Numeric, b: Numeric): -1 | 0 | 1 {
  if (typeof a === 'number' || typeof b === 'number') {
    if (typeof a === 'number' && typeof b === 'number') return order(a, b);
    if (typeof a !== 'number') return -compareNumbers(b, a) as -1 | 0 | 1;
    const limits = b instanceof Uint ? [0, Number(UINT64_MAX)] : [Number(INT64_MIN), Number(INT64_MAX)];
    if (a < limits[0]!) return -1;
    if (a > limits[1]!) return 1;
    return order(a, Number(integerOf(b)));
  }
  return order(integerOf(a), integerOf(b));
}

const integerOf = (value: Numeric): bigint => (value instanceof Uint ? value.value : BigInt(value));

const order = <T extends bigint | number>(a: T, b: T): -1 | 0 | 1 => (a < b ? -1 : a > b ? 1 : 0);

/** -1, 0 or 1; `no such overload` for values that have no order. Whether the left one has any is for `isComparable`. */
export function compare(a: Value, b: Value): -1 | 0 | 1 | CelError {
  if (isError(b)) return b;
  if (isNumber(a) && isNumber(b)) {
    if (isNotANumber(a) || isNotANumber(b)) return new CelError('NaN values cannot be ordered');
    return compareNumbers(a, b);
  }
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return order(Number(a), Number(b));
  if (a instanceof Duration && b instanceof Duration) return order(a.nanoseconds, b.nanoseconds);
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanoseconds, b.nanoseconds);
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    const differs = a.findIndex((byte, index) => byte !== b[index]);
    return differs === -1 || differs >= b.length ? order(a.length, b.length) : order(a[differs]!, b[differs]!);
  }
  return noSuchOverload();
}

/** Whether values of this type are ordered at all. */
export const isComparable = (value: Value): boolean =>
  isNumber(value) ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  value instanceof Uint8Array ||
  value instanceof Duration ||
  value instanceof Timestamp;

const int = (value: bigint): Value =>
  value > INT64_MAX || value < INT64_MIN ? new CelError('integer overflow') : value;
const uint = (value: bigint): Value =>
  value > UINT64_MAX || value < 0n ? new CelError('unsigned integer overflow') : new Uint(value);

const duration = (value: bigint): Value =>
  value > INT64_MAX || value < INT64_MIN ? new CelError('integer overflow') : new Duration(value);

const SECOND = 1_000_000_000n;
const FIRST_SECOND = -62135596800n;
const LAST_SECOND = 253402300799n;

/** A point in time that CEL has: from year 1 to year 9999. */
export function timestamp(nanoseconds: bigint, offset: number): Value {
  const seconds = nanoseconds >= 0n ? nanoseconds / SECOND : (nanoseconds - SECOND + 1n) / SECOND;
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) return new CelError('timestamp overflow');
  return new Timestamp(nanoseconds, offset);
}

export const toInt = (value: bigint): Value => int(value);
export const toUint = (value: bigint): Value => uint(value);

/** `-value`. */
export function negate(value: Value): Value {
  if (typeof value === 'bigint') return int(-value);
  if (typeof value === 'number') return -value;
  return value instanceof Duration ? duration(-value.nanoseconds) : noSuchOverload();
}

/**
 * `a + b`; undefined where the left one's type cannot be added to anything.
 *
 * Source of this and the others: cel-go v0.26.0, common/types, with overflow.go.
 */
export function add(a: Value, b: Value): Value | undefined {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a + b) : noSuchOverload();
  if (typeof a === 'number') return typeof b === 'number' ? a + b : noSuchOverload();
  if (typeof a === 'string') return typeof b === 'string' ? a + b : noSuchOverload();
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value + b.value) : noSuchOverload();
  if (a instanceof Uint8Array) {
    return b instanceof Uint8Array ? Uint8Array.from([...a, ...b]) : noSuchOverload();
  }
  if (a instanceof Duration) {
    if (b instanceof Duration) return duration(a.nanoseconds + b.nanoseconds);
    return b instanceof Timestamp ? timestamp(b.nanoseconds + a.nanoseconds, b.offset) : noSuchOverload();
  }
  if (a instanceof Timestamp) {
    return b instanceof Duration ? timestamp(a.nanoseconds + b.nanoseconds, a.offset) : noSuchOverload();
  }
  if (isList(a)) return isList(b) ? [...a, ...b] : noSuchOverload();
  return undefined;
}

export function subtract(a: Value, b: Value): Value | undefined {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a - b) : noSuchOverload();
  if (typeof a === 'number') return typeof b === 'number' ? a - b : noSuchOverload();
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value - b.value) : noSuchOverload();
  if (a instanceof Duration) {
    return b instanceof Duration ? duration(a.nanoseconds - b.nanoseconds) : noSuchOverload();
  }
  if (a instanceof Timestamp) {
    if (b instanceof Timestamp) return duration(a.nanoseconds - b.nanoseconds);
    return b instanceof Duration ? timestamp(a.nanoseconds - b.nanoseconds, a.offset) : noSuchOverload();
  }
  return undefined;
}

export function multiply(a: Value, b: Value): Value | undefined {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a * b) : noSuchOverload();
  if (typeof a === 'number') return typeof b === 'number' ? a * b : noSuchOverload();
  if (a instanceof Uint) return b instanceof Uint ? uint(a.value * b.value) : noSuchOverload();
  return undefined;
}

export function divide(a: Value, b: Value): Value | undefined {
  if (typeof a === 'bigint') {
    if (typeof b !== 'bigint') return noSuchOverload();
    return b === 0n ? new CelError('division by zero') : int(a / b);
  }
  if (typeof a === 'number') return typeof b === 'number' ? a / b : noSuchOverload();
  if (a instanceof Uint) {
    if (!(b instanceof Uint)) return noSuchOverload();
    return b.value === 0n ? new CelError('division by zero') : uint(a.value / b.value);
  }
  return undefined;
}

export function modulo(a: Value, b: Value): Value | undefined {
  if (typeof a === 'bigint') {
    if (typeof b !== 'bigint') return noSuchOverload();
    if (b === 0n) return new CelError('modulus by zero');
    return a === INT64_MIN && b === -1n ? new CelError('integer overflow') : a % b;
  }
  if (a instanceof Uint) {
    if (!(b instanceof Uint)) return noSuchOverload();
    return b.value === 0n ? new CelError('modulus by zero') : uint(a.value % b.value);
  }
  return undefined;
}

/** `value in list`, `key in map`; undefined where nothing can be in the right one. */
export function contains(container: Value, value: Value): Value | undefined {
  if (isList(container)) return container.some((item) => equal(value, item) === true);
  return container instanceof CelMap ? container.find(value) !== undefined : undefined;
}

/** Characters of a text, bytes, elements; undefined for what has no size. */
export function sizeOf(value: Value): number | undefined {
  if (typeof value === 'string') return codePoints(value);
  if (value instanceof Uint8Array || isList(value)) return value.length;
  return value instanceof CelMap ? value.size : undefined;
}

export function codePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0xd800 && code <= 0xdbff) index += 1;
    count += 1;
  }
  return count;
}

/** As `%v` of Go writes a value in an error. */
export function printed(value: Value): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return doubleText(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof TypeValue) return value.name;
  if (value === null) return 'NULL_VALUE';
  return isError(value) ? value.message : typeof value;
}

/** A double as Go's `%g` and `%v` write it: the shortest digits, with an exponent below -4 and from 21 on. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  if (value === 0) return '0';
  const [digits = '', exponentText = '0'] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent >= -4 && exponent < 21) return plainDecimal(value);
  const sign = exponent < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** The shortest digits without an exponent. */
export function plainDecimal(value: number): string {
  const [mantissa = '', exponentText = '0'] = value.toExponential().split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '');
  const point = Number(exponentText) + 1;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
