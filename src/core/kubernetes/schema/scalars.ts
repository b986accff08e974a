import type { JsonValue } from '../../json/json-value.js';
import type { Int64, IntOrString, QuantityString, Timestamp } from '../objects/meta.js';
import { decodeQuantity } from '../quantity.js';
import type { Decoding } from './decoding.js';
import type { Schema } from './schema.js';

/** A JSON string. */
export const string: Schema<string> = {
  decode(value, decoding) {
    if (typeof value === 'string') return value;
    decoding.wrongType(value, 'string');
    return undefined;
  },
  zero: () => '',
  shape: { type: 'string' },
};

/** A field with only one possible string: the kind of an object, which the caller has already checked. */
export function constant<T extends string>(text: T): Schema<T> {
  return { decode: () => text, zero: () => text, shape: { type: 'constant' } };
}

/** A JSON boolean. */
export const boolean: Schema<boolean> = {
  decode(value, decoding) {
    if (typeof value === 'boolean') return value;
    decoding.wrongType(value, 'boolean');
    return undefined;
  },
  zero: () => false,
  shape: { type: 'boolean' },
};

/** A JSON number without a fraction, within 32 bits. */
export const int32: Schema<number> = {
  decode(value, decoding) {
    if (typeof value === 'number' && (value | 0) === value) return value | 0;
    notAnInteger(value, 32, decoding);
    return undefined;
  },
  zero: () => 0,
  shape: { type: 'int32' },
};

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** A JSON number without a fraction, within 64 bits, not rounded. */
export const int64: Schema<Int64> = {
  decode(value, decoding) {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value === 0 ? 0 : value;
    if (typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX) return value;
    notAnInteger(value, 64, decoding);
    return undefined;
  },
  zero: () => 0,
  shape: { type: 'int64' },
};

function notAnInteger(value: JsonValue, bits: number, decoding: Decoding): void {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) {
    decoding.unreadable(String(value), `must be an integer of ${bits} bits`);
  } else {
    decoding.wrongType(value, 'integer');
  }
}

/** Frequent notations, all of which are valid, so that they need no parser. */
const PLAIN_QUANTITY = /^[0-9]{1,15}(?:m|k|M|G|T|Ki|Mi|Gi|Ti)?$/;

/**
 * A quantity: a string, or a number, which is kept as text. Spaces around it are dropped, as in
 * `resource.Quantity.UnmarshalJSON` (k8s.io/apimachinery v0.36.2, pkg/api/resource/quantity.go).
 */
export const quantity: Schema<QuantityString> = {
  decode(value, decoding) {
    if (typeof value === 'string' && PLAIN_QUANTITY.test(value)) return value;
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') {
      decoding.wrongType(value, 'string');
      return undefined;
    }
    const text = String(value);
    try {
      const read = decodeQuantity(text);
      return text.trim() === text ? text : read.toString();
    } catch (error) {
      decoding.unreadable(text, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  },
  zero: () => '0',
  shape: { type: 'quantity' },
};

/** The optional fraction of a second, and the time zone. */
const AFTER_SECONDS = /^(?:[.,][0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-4]):(?:[0-5][0-9]|60))$/;

/** An RFC 3339 time, kept as written; fractions of a second are allowed. */
export const time: Schema<Timestamp> = {
  decode(value, decoding) {
    if (typeof value === 'string' && isRfc3339(value)) return value;
    if (typeof value === 'string') decoding.unreadable(value, 'must be a time as in RFC 3339: 2006-01-02T15:04:05Z');
    else decoding.wrongType(value, 'string');
    return undefined;
  },
  zero: () => '0001-01-01T00:00:00Z',
  shape: { type: 'time' },
};

/** Parses by position, and without a regular expression in the usual case: a snapshot has dozens of times per pod. */
function isRfc3339(text: string): boolean {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  if (Number.isNaN(year + month + day + hour + minute + second)) return false;
  if (text[4] !== '-' || text[7] !== '-' || text[10] !== 'T' || text[13] !== ':' || text[16] !== ':') return false;
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return false;
  if (day < 1 || day > daysIn(year, month)) return false;
  return (text.length === 20 && text[19] === 'Z') || AFTER_SECONDS.test(text.slice(19));
}

const ZERO = 48;

function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const units = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : NaN;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** An int32 or a string, as determined by the JSON type. */
export const intOrString: Schema<IntOrString> = {
  decode(value, decoding, keep) {
    if (typeof value === 'string') return value;
    if (typeof value === 'number' || typeof value === 'bigint') return int32.decode(value, decoding, keep);
    decoding.wrongType(value, 'integer or string');
    return undefined;
  },
  zero: () => 0,
  shape: { type: 'int-or-string' },
};

/** Raw JSON of any shape, such as the body of a `fieldsV1`. */
export const anything: Schema<JsonValue> = {
  decode: (value, _decoding, keep) => (keep ? copyOf(value) : undefined),
  zero: () => null,
  shape: { type: 'anything' },
};

/** A field that API servers have since a minor version of Kubernetes. */
export const since = <T>(minor: number, schema: Schema<T>): Schema<T> => ({ ...schema, since: minor });

/** A field that only API servers before a minor version of Kubernetes have. */
export const before = <T>(minor: number, schema: Schema<T>): Schema<T> => ({ ...schema, before: minor });

/** A field that only one minor version of Kubernetes has. */
export const onlyIn = <T>(minor: number, schema: Schema<T>): Schema<T> => since(minor, before(minor + 1, schema));

/** A field that no API server has whose rules are known: only earlier versions of the kind had it. */
export const former: Schema<JsonValue> = before(0, anything);

function copyOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyOf(inner)]));
}
