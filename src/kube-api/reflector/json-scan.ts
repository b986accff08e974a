const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The text is not what an API server sends. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

/** A part of a buffer. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * The members of the object whose opening brace is the first byte that is not blank from `start` on, in their order, without
 * building values. Values are skipped by their brackets; whoever parses them sees whether they are JSON.
 *
 * @throws {BadAnswer}
 */
export function* membersOf(bytes: Buffer, { start, end }: Span): Generator<readonly [name: string, value: Span]> {
  let at = blanks(bytes, start, end);
  if (bytes[at] !== OPEN_BRACE) throw new BadAnswer('an object was expected');
  at = blanks(bytes, at + 1, end);
  if (bytes[at] === CLOSE_BRACE) return;
  for (;;) {
    if (bytes[at] !== QUOTE) throw new BadAnswer('a member of an object has no name');
    const nameEnd = skipString(bytes, at, end);
    const name = bytes.toString('utf8', at + 1, nameEnd - 1);
    at = blanks(bytes, nameEnd, end);
    if (bytes[at] !== COLON) throw new BadAnswer('a member of an object has no value');
    at = blanks(bytes, at + 1, end);
    const valueEnd = skipValue(bytes, at, end);
    yield [name, { start: at, end: valueEnd }];
    at = blanks(bytes, valueEnd, end);
    if (bytes[at] === CLOSE_BRACE) return;
    if (bytes[at] !== COMMA) throw new BadAnswer('an object does not end');
    at = blanks(bytes, at + 1, end);
  }
}

/** The text of a JSON string; undefined for any other value. */
export function stringIn(bytes: Buffer, { start, end }: Span): string | undefined {
  if (bytes[start] !== QUOTE) return undefined;
  const text = bytes.toString('utf8', start, end);
  if (!text.includes('\\')) return text.slice(1, -1);
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new BadAnswer('a string is not JSON');
  }
}

function blanks(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && isBlank(bytes[at])) at += 1;
  return at;
}

/** @returns the index after the closing quote of the string that opens at `from` */
function skipString(bytes: Buffer, from: number, end: number): number {
  for (let at = from + 1; at < end; at += 1) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  throw new BadAnswer('a string does not end');
}

function skipValue(bytes: Buffer, from: number, end: number): number {
  let depth = 0;
  let at = from;
  while (at < end) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at = skipString(bytes, at, end);
      if (depth === 0) return at;
      continue;
    }
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      // A number or a literal ends where the object around it does.
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (byte === COMMA || isBlank(byte)) && at > from) return at;
    at += 1;
  }
  throw new BadAnswer('a value does not end');
}
