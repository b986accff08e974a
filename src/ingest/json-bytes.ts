/*
 * Functions over the bytes of JSON text. They read byte by byte and stop at a NUL, which JSON contains only as an escape. Text
 * that is followed by enough NUL bytes (`PADDING`) is therefore never read beyond its end.
 */

/** The number of NUL bytes that must follow a text. */
export const PADDING = 64;

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const SPACE = 0x20;
const LINE_FEED = 0x0a;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const LETTER_E = 0x65;
const PLUS = 0x2b;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;
const LETTER_U = 0x75;

/** The result of the functions here for input that they leave to the caller. */
export const UNSURE = -1;

/** 1 for each byte that may occur unescaped in a string, whatever comes before and after it. */
const PLAIN = new Uint8Array(256).fill(1, SPACE);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;
/** The same for ASCII only. */
const PLAIN_ASCII = PLAIN.slice().fill(0, 0x80);
/** 1 for each letter except u that may follow a backslash. */
const SHORT_ESCAPE = new Uint8Array(256);
for (const letter of '"\\/bfnrt') SHORT_ESCAPE[letter.charCodeAt(0)] = 1;

/** Whether the bytes from `at` on begin with `prefix`. */
export function startsWith(bytes: Uint8Array, at: number, prefix: Uint8Array): boolean {
  for (let index = 0; index < prefix.length; index++) {
    if (bytes[at + index] !== prefix[index]) return false;
  }
  return true;
}

/** The number of line feeds that `skipBlanks` has passed since a caller reset it to 0. */
export const passed = { lineFeeds: 0 };

/** The index of the first byte from `at` on that is not white space. */
export function skipBlanks(bytes: Uint8Array, at: number): number {
  for (;;) {
    while (bytes[at] === SPACE) at++;
    const byte = bytes[at]!;
    if (byte === LINE_FEED) passed.lineFeeds++;
    else if (byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

/** The index after an ASCII member name whose opening quote is at `at`. Returns UNSURE for names with escapes. */
export function skipName(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return UNSURE;
  at++;
  while (PLAIN_ASCII[bytes[at]!] === 1) at++;
  return bytes[at] === QUOTE ? at + 1 : UNSURE;
}

/**
 * The index after a string whose opening quote is at `at`. Returns UNSURE for escapes that may produce text that cannot be
 * stored: NUL and surrogates.
 */
export function skipString(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return UNSURE;
  at++;
  for (;;) {
    while (PLAIN[bytes[at]!] === 1) at++;
    if (bytes[at] === QUOTE) return at + 1;
    if (bytes[at] !== BACKSLASH) return UNSURE;
    const letter = bytes[at + 1]!;
    if (SHORT_ESCAPE[letter] === 1) {
      at += 2;
    } else {
      if (letter !== LETTER_U) return UNSURE;
      const unit = hexUnit(bytes, at + 2);
      if (Number.isNaN(unit) || unit === 0 || (unit >= 0xd800 && unit <= 0xdfff)) return UNSURE;
      at += 6;
    }
  }
}

/** The value of four hexadecimal digits; NaN if they are not digits. */
function hexUnit(bytes: Uint8Array, at: number): number {
  let unit = 0;
  for (let index = at; index < at + 4; index++) {
    const byte = bytes[index]!;
    const lower = byte | 0x20;
    if (byte >= ZERO && byte <= NINE) unit = unit * 16 + byte - ZERO;
    else if (lower >= 0x61 && lower <= 0x66) unit = unit * 16 + lower - 0x57;
    else return NaN;
  }
  return unit;
}

/** The index after the digits from `at` on; `at` itself if there are none. */
export function skipDigits(bytes: Uint8Array, at: number): number {
  for (;;) {
    const byte = bytes[at]!;
    if (!(byte >= ZERO && byte <= NINE)) return at;
    at++;
  }
}

function skipNumber(bytes: Uint8Array, at: number): number {
  if (bytes[at] === MINUS) at++;
  let end = skipDigits(bytes, at);
  if (end === at || (bytes[at] === ZERO && end > at + 1)) return UNSURE;
  if (bytes[end] === POINT) {
    const digits = end + 1;
    end = skipDigits(bytes, digits);
    if (end === digits) return UNSURE;
  }
  if ((bytes[end]! | 0x20) === LETTER_E) {
    let digits = end + 1;
    if (bytes[digits] === PLUS || bytes[digits] === MINUS) digits++;
    end = skipDigits(bytes, digits);
    if (end === digits) return UNSURE;
  }
  return end;
}

/** The index after `null` at `at`, or UNSURE. */
export function skipNull(bytes: Uint8Array, at: number): number {
  const isNull =
    bytes[at] === LETTER_N && bytes[at + 1] === LETTER_U && bytes[at + 2] === 0x6c && bytes[at + 3] === 0x6c;
  return isNull ? at + 4 : UNSURE;
}

/** The index after `true` or `false` at `at`, or UNSURE. */
export function skipBoolean(bytes: Uint8Array, at: number): number {
  if (bytes[at] === LETTER_T) {
    const isTrue = bytes[at + 1] === 0x72 && bytes[at + 2] === LETTER_U && bytes[at + 3] === LETTER_E;
    return isTrue ? at + 4 : UNSURE;
  }
  const isFalse =
    bytes[at] === LETTER_F &&
    bytes[at + 1] === 0x61 &&
    bytes[at + 2] === 0x6c &&
    bytes[at + 3] === 0x73 &&
    bytes[at + 4] === LETTER_E;
  return isFalse ? at + 5 : UNSURE;
}

/**
 * The index after any JSON value at `at`, which is checked as strictly as by a parser; `depth` is the maximum nesting of
 * objects and arrays.
 */
export function skipValue(bytes: Uint8Array, at: number, depth: number): number {
  switch (bytes[at]) {
    case QUOTE:
      return skipString(bytes, at);
    case OPEN_BRACE:
    case OPEN_BRACKET:
      return depth > 0 ? skipContainer(bytes, at, depth - 1) : UNSURE;
    case LETTER_T:
    case LETTER_F:
      return skipBoolean(bytes, at);
    case LETTER_N:
      return skipNull(bytes, at);
    default:
      return skipNumber(bytes, at);
  }
}

function skipContainer(bytes: Uint8Array, start: number, depth: number): number {
  const named = bytes[start] === OPEN_BRACE;
  const close = named ? CLOSE_BRACE : CLOSE_BRACKET;
  let at = skipBlanks(bytes, start + 1);
  if (bytes[at] === close) return at + 1;
  for (;;) {
    if (named) {
      at = skipString(bytes, at);
      if (at < 0) return UNSURE;
      at = skipBlanks(bytes, at);
      if (bytes[at] !== COLON) return UNSURE;
      at = skipBlanks(bytes, at + 1);
    }
    at = skipValue(bytes, at, depth);
    if (at < 0) return UNSURE;
    at = skipBlanks(bytes, at);
    if (bytes[at] === close) return at + 1;
    if (bytes[at] !== COMMA) return UNSURE;
    at = skipBlanks(bytes, at + 1);
  }
}
