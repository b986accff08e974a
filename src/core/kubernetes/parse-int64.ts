import { quoteGo } from './field-error.js';

/** The result of Go's `strconv.ParseInt(text, 10, 64)`: the integer, or its error with Go's text. */
export type ParsedInt64 = { readonly value: bigint } | { readonly error: string };

const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;
/** More digits than any 64-bit integer has, except leading zeros. */
const TOO_MANY_DIGITS = 21;

/**
 * Parses a decimal integer like Go: a sign and leading zeros are allowed, white space and `_` are not. `parseInt64('+007')` is
 * 7. A text that leaves the range before its first invalid character is out of range, not a syntax error.
 */
export function parseInt64(text: string): ParsedInt64 {
  const [, sign = '', zeros = '', digits = '', rest = ''] = /^([+-]?)(0*)([0-9]*)(.*)$/s.exec(text) ?? [];
  const failed = (reason: string): ParsedInt64 => ({ error: `strconv.ParseInt: parsing ${quoteGo(text)}: ${reason}` });
  if (zeros === '' && digits === '') return failed('invalid syntax');
  const magnitude = digits.length >= TOO_MANY_DIGITS ? MAX_UINT64 + 1n : BigInt(digits === '' ? '0' : digits);
  if (rest !== '' && magnitude <= MAX_UINT64) return failed('invalid syntax');
  if (magnitude > (sign === '-' ? MAX_INT64 + 1n : MAX_INT64)) return failed('value out of range');
  return { value: sign === '-' ? -magnitude : magnitude };
}
