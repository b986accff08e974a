const SHORT: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
]);

/** A string literal without its quotes, in parts: text as it stands, and the numbers that escapes stand for. */
function partsOf(literal: string): (string | { readonly code: number; readonly isByte: boolean })[] {
  const normalized = literal.replace(/\r\n?/g, '\n');
  const isRaw = /^[rR]/.test(normalized);
  const quoted = isRaw ? normalized.slice(1) : normalized;
  const quotes = quoted.length >= 6 && /^(?:'''|""")/.test(quoted) ? 3 : 1;
  const text = quoted.slice(quotes, -quotes);
  if (isRaw) return [text];
  return text
    .split(/(\\(?:[xX][^]{2}|u[^]{4}|U[^]{8}|[0-3][^]{2}|[^]))/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('\\') ? escapeOf(part) : part));
}

function escapeOf(part: string): string | { readonly code: number; readonly isByte: boolean } {
  const letter = part.charAt(1);
  if (/[xX]/.test(letter)) return { code: parseInt(part.slice(2), 16), isByte: true };
  if (/[uU]/.test(letter)) return { code: parseInt(part.slice(2), 16), isByte: false };
  if (/[0-3]/.test(letter)) return { code: parseInt(part.slice(1), 8), isByte: true };
  const code = SHORT.get(letter);
  return code === undefined ? letter : { code, isByte: true };
}

/** The text of a string literal, quotes and prefix included; undefined for an escape that is no character. */
export function unescapeString(literal: string): string | undefined {
  let text = '';
  for (const part of partsOf(literal)) {
    if (typeof part === 'string') {
      text += part;
      continue;
    }
    if (part.code > 0x10ffff || (part.code >= 0xd800 && part.code <= 0xdfff)) return undefined;
    text += String.fromCodePoint(part.code);
  }
  return text;
}

/** The bytes of a bytes literal without its `b`; undefined for an escape of a character, which has no place in it. */
export function unescapeBytes(literal: string): Uint8Array | undefined {
  const bytes: number[] = [];
  for (const part of partsOf(literal)) {
    if (typeof part === 'string') bytes.push(...utf8(part));
    else if (part.isByte) bytes.push(part.code);
    else return undefined;
  }
  return Uint8Array.from(bytes);
}

/** A text in UTF-8. */
export function utf8(text: string): number[] {
  const bytes: number[] = [];
  for (const point of text) {
    const code = point.codePointAt(0)!;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 0x3f));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    else {
      bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
    }
  }
  return bytes;
}

/** The text that bytes are in UTF-8, or undefined if they are none. */
export function textOfUtf8(bytes: Uint8Array): string | undefined {
  let text = '';
  for (let index = 0; index < bytes.length;) {
    const first = bytes[index]!;
    const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    if (length === 0 || index + length > bytes.length) return undefined;
    let code = length === 1 ? first : first & (0xff >> (length + 1));
    for (let next = 1; next < length; next += 1) {
      const byte = bytes[index + next]!;
      if ((byte & 0xc0) !== 0x80) return undefined;
      code = (code << 6) | (byte & 0x3f);
    }
    const shortest = [0, 0, 0x80, 0x800, 0x10000][length]!;
    if (code < shortest || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
    text += String.fromCodePoint(code);
    index += length;
  }
  return text;
}
