import { quoteGo } from './field-error.js';

/** What Go's `strconv.ParseInt(text, 10, 64)` answers: the integer, or its error with Go's text. */
export type ParsedInt64 = { readonly value: bigint } | { readonly error: string };

const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;
/** More digits than any 64-bit integer has, leading zeros aside. */
const TOO_MANY_DIGITS = 21;

/**
 * Reads a decimal integer as Go does: a sign of either kind and leading zeros are allowed, white space and `_` are not.
 * `parseInt64('+007')` is 7; a text that leaves the range before its first bad character is out of range, not bad syntax.
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
