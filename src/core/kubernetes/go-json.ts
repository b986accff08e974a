import { quoteGo } from './go-text.js';

/** A JSON value as Go's decoder sees it: numbers in their notation, and all members in order, including duplicates. */
export type GoJson =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'number'; readonly text: string }
  | { readonly type: 'array'; readonly items: readonly GoJson[] }
  | { readonly type: 'object'; readonly members: readonly (readonly [name: string, value: GoJson])[] };

/** Text that is not JSON, or JSON of the wrong type, with the message of Go's `encoding/json`. */
export class GoJsonError extends Error {
  override readonly name = 'GoJsonError';
}

/** Less than Go's limit of 10000, which would overflow the stack; the values read here are not nested at all. */
const MAX_DEPTH = 1000;
const SPACE = /[ \t\r\n]*/y;

/**
 * Parses JSON, and refuses what Go's `encoding/json` refuses, with its messages: `invalid character 'o' in literal null
 * (expecting 'u')`.
 *
 * @throws {GoJsonError}
 *
 * Source: Go, encoding/json/scanner.go.
 */
export function parseGoJson(text: string): GoJson {
  return new GoJsonReader(text).read();
}

class GoJsonReader {
  private at = 0;

  constructor(private readonly text: string) {}

  read(): GoJson {
    const value = this.value(0, 'looking for beginning of value');
    this.space();
    if (this.at < this.text.length) this.fail('after top-level value');
    return value;
  }

  private value(depth: number, context: string): GoJson {
    if (depth > MAX_DEPTH) throw new GoJsonError('exceeded max depth');
    this.space();
    switch (this.text[this.at]) {
      case '{':
        return { type: 'object', members: this.members(depth + 1) };
      case '[':
        return { type: 'array', items: this.items(depth + 1) };
      case '"':
        return { type: 'string', value: this.string() };
      case 't':
        this.literal('true');
        return { type: 'bool', value: true };
      case 'f':
        this.literal('false');
        return { type: 'bool', value: false };
      case 'n':
        this.literal('null');
        return { type: 'null' };
      default:
        return { type: 'number', text: this.number(context) };
    }
  }

  private members(depth: number): (readonly [string, GoJson])[] {
    const members: (readonly [string, GoJson])[] = [];
    this.at += 1;
    this.space();
    if (this.skip('}')) return members;
    for (;;) {
      this.space();
      if (this.text[this.at] !== '"') this.missing('looking for beginning of object key string');
      const name = this.string();
      this.space();
      if (!this.skip(':')) this.missing('after object key');
      members.push([name, this.value(depth, 'looking for beginning of value')]);
      this.space();
      if (this.skip('}')) return members;
      if (!this.skip(',')) this.missing('after object key:value pair');
    }
  }

  private items(depth: number): GoJson[] {
    const items: GoJson[] = [];
    this.at += 1;
    this.space();
    if (this.skip(']')) return items;
    for (;;) {
      items.push(this.value(depth, 'looking for beginning of value'));
      this.space();
      if (this.skip(']')) return items;
      if (!this.skip(',')) this.missing('after array element');
    }
  }

  private string(): string {
    const start = this.at;
    this.at += 1;
    for (;;) {
      const character = this.text[this.at];
      if (character === undefined) this.end();
      if (character < ' ') this.fail('in string literal');
      this.at += 1;
      if (character === '"') return JSON.parse(this.text.slice(start, this.at)) as string;
      if (character === '\\') this.escape();
    }
  }

  private escape(): void {
    const isLong = this.text[this.at] === 'u';
    if (!isLong && !/["\\/bfnrt]/.test(this.text[this.at] ?? '')) this.fail('in string escape code');
    this.at += 1;
    if (!isLong) return;
    for (let digit = 0; digit < 4; digit += 1) {
      if (!/[0-9a-fA-F]/.test(this.text[this.at] ?? '')) this.fail('in \\u hexadecimal character escape');
      this.at += 1;
    }
  }

  private number(context: string): string {
    const start = this.at;
    if (this.skip('-')) {
      if (!this.isDigit()) this.fail('in numeric literal');
    } else if (!this.isDigit()) this.missing(context);
    if (!this.skip('0')) this.digits('');
    if (this.skip('.')) this.digits('after decimal point in numeric literal');
    if (this.skip('e') || this.skip('E')) {
      if (!this.skip('+')) this.skip('-');
      this.digits('in exponent of numeric literal');
    }
    return this.text.slice(start, this.at);
  }

  private digits(context: string): void {
    if (!this.isDigit()) this.fail(context);
    while (this.isDigit()) this.at += 1;
  }

  private isDigit(): boolean {
    const character = this.text[this.at];
    return character !== undefined && character >= '0' && character <= '9';
  }

  private literal(word: string): void {
    for (const expected of word) {
      if (!this.skip(expected)) this.fail(`in literal ${word} (expecting '${expected}')`);
    }
  }

  private skip(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private space(): void {
    SPACE.lastIndex = this.at;
    SPACE.exec(this.text);
    this.at = SPACE.lastIndex;
  }

  /** Fails where white space would be allowed; the end of the text is then reported as such. */
  private missing(context: string): never {
    if (this.at >= this.text.length) this.end();
    this.fail(context);
  }

  private end(): never {
    throw new GoJsonError('unexpected end of JSON input');
  }

  /** Go appends a space to the text, and reports that if no space is allowed. */
  private fail(context: string): never {
    throw new GoJsonError(`invalid character ${quoted(firstByte(this.text.codePointAt(this.at) ?? 0x20))} ${context}`);
  }
}

/** The first byte of a character in UTF-8, the only one that Go's scanner reports. */
function firstByte(codePoint: number): string {
  if (codePoint < 0x80) return String.fromCharCode(codePoint);
  if (codePoint < 0x800) return String.fromCharCode(0xc0 | (codePoint >> 6));
  return String.fromCharCode(codePoint < 0x10000 ? 0xe0 | (codePoint >> 12) : 0xf0 | (codePoint >> 18));
}

function quoted(character: string): string {
  if (character === "'") return String.raw`'\''`;
  if (character === '"') return `'"'`;
  return `'${quoteGo(character).slice(1, -1)}'`;
}
