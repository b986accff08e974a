import { stringifyJson } from '../json/lossless-json.js';

const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

/**
 * The characters that Go escapes: quotes, backslashes, and all except letters, marks, numbers, punctuation, symbols and the
 * space.
 */
const ESCAPED = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** A string in the format of Go's `%q` and `strconv.Quote`: `"a\x00\u200b"`. Letters of all scripts are unchanged. */
export function quoteGo(text: string): string {
  const escaped = text.replace(ESCAPED, (character) => {
    const short = SHORT_ESCAPES.get(character);
    if (short !== undefined) return short;
    const code = character.codePointAt(0) ?? 0;
    const hex = (digits: number): string => code.toString(16).padStart(digits, '0');
    return code < 0x80 ? `\\x${hex(2)}` : code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
  });
  return `"${escaped}"`;
}

/**
 * A value as written by Go's `json.Marshal`, which also escapes characters that are special in HTML. Members keep their order,
 * so pass objects with members in the order of the Go fields.
 */
export function jsonGo(value: string | object): string {
  return stringifyJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|([+-])(\d\d):(\d\d))$/;

/**
 * An RFC 3339 time as Go writes a `metav1.Time` in JSON: in UTC and whole seconds; the zero time is null.
 *
 * Source: k8s.io/apimachinery v0.36.2, pkg/apis/meta/v1/time.go, `MarshalJSON`.
 */
export function timeGo(text: string): string {
  const [, year, month, day, hour, minute, second, sign = '+', hours = '0', minutes = '0'] = RFC_3339.exec(text) ?? [];
  if (year === undefined) return jsonGo(text);
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  date.setUTCHours(Number(hour), Number(minute) - offset, Number(second));
  const written = date.toISOString().replace('.000Z', 'Z');
  return written === '0001-01-01T00:00:00Z' ? 'null' : `"${written}"`;
}

/**
 * An RFC 3339 time as Go shows a `*metav1.Time` of a decoded object with `%#v`, for a server whose local time is UTC.
 */
export function goStringOfTime(text: string | undefined): string {
  const written = text === undefined ? 'null' : timeGo(text);
  if (written === 'null') return '<nil>';
  const date = new Date(JSON.parse(written) as string);
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), 0].join(', ');
  const month = date.toLocaleString('en', { month: 'long', timeZone: 'UTC' });
  return `time.Date(${date.getUTCFullYear()}, time.${month}, ${date.getUTCDate()}, ${clock}, time.Local)`;
}

/** A slice of strings as Go shows it with `%#v`. */
export const goStringOfSlice = (type: string, values: readonly string[]): string =>
  `[]${type}{${values.map(quoteGo).join(', ')}}`;

/** A map of strings as written by Go's `json.Marshal`: with its keys in byte order. */
export function mapGo(entries: Readonly<Record<string, string>>): string {
  const members = Object.entries(entries)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${jsonGo(key)}:${jsonGo(value)}`);
  return `{${members.join(',')}}`;
}

/** A number in Go's `%f` format: six decimals, exact halves rounded to even, no exponent. */
export function floatGo(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const [digits, scale] = exactDecimal(Math.abs(value));
  const cut = 10n ** BigInt(Math.max(0, scale - 6));
  const twice = (digits % cut) * 2n;
  let millionths = (digits / cut) * 10n ** BigInt(Math.max(0, 6 - scale));
  if (twice > cut || (twice === cut && millionths % 2n === 1n)) millionths += 1n;
  const text = millionths.toString().padStart(7, '0');
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return `${sign}${text.slice(0, -6)}.${text.slice(-6)}`;
}

/** The exact value of a finite, nonnegative number, as `digits / 10^scale`. */
function exactDecimal(value: number): readonly [digits: bigint, scale: number] {
  let scale = 0;
  let whole = value;
  // A double is an integer divided by a power of two, and doubling is exact.
  while (!Number.isInteger(whole)) {
    whole *= 2;
    scale += 1;
  }
  return [BigInt(whole) * 5n ** BigInt(scale), scale];
}
