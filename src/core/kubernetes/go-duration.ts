/** A duration in nanoseconds, like Go's `time.Duration`, or the error of `time.ParseDuration`. */
export type ParsedDuration = { readonly nanoseconds: bigint } | { readonly error: string };

export const SECOND = 1_000_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['\u00b5s', 1000n],
  ['\u03bcs', 1000n],
  ['ms', 1_000_000n],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
]);

const LIMIT = 1n << 63n;
/** More digits than any duration has, except leading zeros. */
const TOO_MANY_DIGITS = 20;

/**
 * Parses a duration like Go's `time.ParseDuration`: `1h30m`, `-1.5s`, `100ms`, `0`; any other number needs a unit.
 *
 * Source: Go, time/format.go.
 */
export function parseGoDuration(text: string): ParsedDuration {
  const invalid = { error: `time: invalid duration ${quoteTime(text)}` };
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return { nanoseconds: 0n };
  if (rest === '') return invalid;
  let total = 0n;
  while (rest !== '') {
    const [taken = '', whole = '', fraction = ''] = /^([0-9]*)(?:\.([0-9]*))?/.exec(rest) ?? [];
    if (whole === '' && fraction === '') return invalid;
    const digits = whole.replace(/^0+/, '');
    if (digits.length >= TOO_MANY_DIGITS) return invalid;
    const value = BigInt(digits === '' ? '0' : digits);
    if (value > LIMIT) return invalid;
    rest = rest.slice(taken.length);
    const name = /^[^.0-9]*/.exec(rest)?.[0] ?? '';
    if (name === '') return { error: `time: missing unit in duration ${quoteTime(text)}` };
    rest = rest.slice(name.length);
    const unit = UNITS.get(name);
    if (unit === undefined) return { error: `time: unknown unit ${quoteTime(name)} in duration ${quoteTime(text)}` };
    if (value > LIMIT / unit) return invalid;
    total += value * unit + fractionOf(fraction, unit);
    if (total > LIMIT) return invalid;
  }
  if (negative) return { nanoseconds: -total };
  return total === LIMIT ? invalid : { nanoseconds: total };
}

/** `leadingFraction`: digits beyond the range of int64 are dropped, and the product is computed in floating point. */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits.slice(0, TOO_MANY_DIGITS)) {
    if (value > (LIMIT - 1n) / 10n) break;
    const next = value * 10n + BigInt(digit);
    if (next > LIMIT) break;
    value = next;
    scale *= 10;
  }
  return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

/**
 * A duration in the format of Go's `Duration.String`: `10m0s`, `1h0m0.5s`, `100ms`, `0s`.
 *
 * Source: Go, time/time.go.
 */
export function formatGoDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const span = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (span < 1000n) return `${sign}${span}ns`;
  if (span < 1_000_000n) return `${sign}${decimal(span, 3)}\u00b5s`;
  if (span < SECOND) return `${sign}${decimal(span, 6)}ms`;
  const hours = span / HOUR;
  const minutes = (span % HOUR) / MINUTE;
  const larger = hours > 0n ? `${hours}h${minutes}m` : minutes > 0n ? `${minutes}m` : '';
  return `${sign}${larger}${decimal(span % MINUTE, 9)}s`;
}

function decimal(value: bigint, places: number): string {
  const text = value.toString().padStart(places + 1, '0');
  const fraction = text.slice(-places).replace(/0+$/, '');
  return fraction === '' ? text.slice(0, -places) : `${text.slice(0, -places)}.${fraction}`;
}

/** `time.quote`: characters other than printable ASCII are escaped byte by byte. */
function quoteTime(text: string): string {
  const quoted = text.replace(/["\\]|[^ -\x7f]/gu, (character) =>
    character === '"' || character === '\\' ? `\\${character}` : hexOf(character),
  );
  return `"${quoted}"`;
}

/** The bytes of a character in UTF-8: `\xc2\xb5`. A lone surrogate becomes the replacement character. */
function hexOf(character: string): string {
  const whole = /[\ud800-\udfff]/.test(character) && character.length === 1 ? '\ufffd' : character;
  return encodeURIComponent(whole)
    .toLowerCase()
    .replaceAll('%', String.raw`\x`);
}
