import { JsonSyntaxError } from './json-syntax-error.js';
import type { JsonObject, JsonValue } from './json-value.js';

/**
 * Limits the time: a `bigint` of a million digits takes a second to create, and no double has more than 309 digits before its
 * point.
 */
const MAX_NUMBER_LENGTH = 1000;
const NUMBER = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/y;
const PLAIN_STRING_END = /["\\\u0000-\u001f]/g;
const ESCAPE = /["\\/bfnrt]|u[0-9a-fA-F]{4}/y;

/** What a reader notes of a text besides its values. */
export interface JsonNotes {
  /**
   * The members of objects, in the order in which they are written, where the object itself does not show it: a key is there
   * twice, or looks like an index.
   */
  readonly members: Map<JsonObject, [key: string, value: JsonValue][]>;
  /** The offsets of objects that are elements of an array named `items`, in UTF-16 code units. */
  readonly items: Map<JsonObject, number>;
  /** The offset of the first key that is there twice. */
  firstDuplicate?: number;
}

const LIKE_INDEX = /^[0-9]/;

/** A nonempty object or array has begun. */
const OPENED = Symbol('opened');

/**
 * A strict JSON reader (RFC 8259) that keeps integers beyond 2^53 - 1 as `bigint`. It is slower than `JSON.parse` and accepts
 * exactly the same texts, except that it limits depth and can refuse duplicate keys.
 */
export class JsonReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
    private readonly rejectDuplicates: boolean,
    private readonly notes?: JsonNotes,
  ) {}

  read(): JsonValue {
    const { value } = this.steps(Infinity).next();
    return value!;
  }

  /** Reads the document in steps of about `characters` characters, so that untrusted text cannot block other work for long. */
  *steps(characters: number): Generator<undefined, JsonValue, undefined> {
    /** The open objects and arrays, and the keys at which the open objects are being filled. */
    const open: (JsonObject | JsonValue[])[] = [];
    const keys: string[] = [];
    let stop = this.at + characters;
    for (;;) {
      if (this.at >= stop) {
        yield;
        stop = this.at + characters;
      }
      const begun = this.begin(open, keys);
      if (begun === OPENED) continue;
      let value = begun;
      // Adds a complete value to its parent, which may complete the parent too.
      for (;;) {
        const parent = open.at(-1);
        if (parent === undefined) return this.whole(value);
        if (!this.add(parent, keys, value)) break;
        open.pop();
        value = parent;
      }
    }
  }

  /** Reads a complete value, or the start of an object or array that is not empty. */
  private begin(open: (JsonObject | JsonValue[])[], keys: string[]): JsonValue | typeof OPENED {
    this.space();
    switch (this.text[this.at]) {
      case '{': {
        this.enter(open.length + 1);
        const object: JsonObject = {};
        if (this.notes !== undefined && keys.at(-1) === 'items' && Array.isArray(open.at(-1))) {
          this.notes.items.set(object, this.at - 1);
        }
        this.space();
        if (this.skip('}')) return object;
        open.push(object);
        keys.push(this.key(object));
        return OPENED;
      }
      case '[': {
        this.enter(open.length + 1);
        const array: JsonValue[] = [];
        this.space();
        if (this.skip(']')) return array;
        open.push(array);
        return OPENED;
      }
      case '"':
        return this.string();
      case 't':
        return this.word('true', true);
      case 'f':
        return this.word('false', false);
      case 'n':
        return this.word('null', null);
      default:
        return this.number();
    }
  }

  /** Adds a value to its parent. @returns whether it was the last one of the parent */
  private add(parent: JsonObject | JsonValue[], keys: string[], value: JsonValue): boolean {
    if (Array.isArray(parent)) {
      parent.push(value);
      this.space();
      if (this.skip(']')) return true;
      if (!this.skip(',')) this.unexpected();
      return false;
    }
    const key = keys[keys.length - 1]!;
    this.notes?.members.get(parent)?.push([key, value]);
    if (key === '__proto__') {
      Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
    } else {
      parent[key] = value;
    }
    this.space();
    if (this.skip('}')) {
      keys.pop();
      return true;
    }
    if (!this.skip(',')) this.unexpected();
    keys[keys.length - 1] = this.key(parent);
    return false;
  }

  private key(object: JsonObject): string {
    this.space();
    const start = this.at;
    if (this.text[start] !== '"') this.unexpected();
    const key = this.string();
    if (this.rejectDuplicates && Object.hasOwn(object, key)) {
      throw new JsonSyntaxError(`key ${JSON.stringify(key)} is duplicated`, this.text, start);
    }
    if (this.notes !== undefined) this.note(this.notes, object, key, start);
    this.space();
    if (!this.skip(':')) this.unexpected();
    return key;
  }

  private note({ members, ...notes }: JsonNotes, object: JsonObject, key: string, start: number): void {
    const isDuplicate = Object.hasOwn(object, key);
    if (isDuplicate && notes.firstDuplicate === undefined) this.notes!.firstDuplicate = start;
    if (members.has(object) || !(isDuplicate || LIKE_INDEX.test(key))) return;
    members.set(object, Object.entries(object));
  }

  private whole(value: JsonValue): JsonValue {
    this.space();
    if (this.at < this.text.length) this.unexpected();
    return value;
  }

  private enter(depth: number): void {
    if (depth > this.maxDepth) {
      throw new JsonSyntaxError(`nested deeper than ${this.maxDepth} levels`, this.text, this.at);
    }
    this.at += 1;
  }

  private string(): string {
    const start = this.at;
    let escaped = false;
    PLAIN_STRING_END.lastIndex = start + 1;
    for (;;) {
      const end = PLAIN_STRING_END.exec(this.text);
      if (end === null) throw new JsonSyntaxError('unterminated string', this.text, start);
      if (end[0] === '"') {
        this.at = end.index + 1;
        // The text between the quotes is valid, so JSON.parse can decode the escapes.
        return escaped
          ? (JSON.parse(this.text.slice(start, this.at)) as string)
          : this.text.slice(start + 1, end.index);
      }
      if (end[0] !== '\\') throw new JsonSyntaxError('control character in a string', this.text, end.index);
      escaped = true;
      ESCAPE.lastIndex = end.index + 1;
      if (!ESCAPE.test(this.text)) throw new JsonSyntaxError('bad escape in a string', this.text, end.index);
      PLAIN_STRING_END.lastIndex = ESCAPE.lastIndex;
    }
  }

  private number(): number | bigint {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.text);
    if (match === null) return this.unexpected();
    if (match[0].length > MAX_NUMBER_LENGTH) {
      throw new JsonSyntaxError(`number of more than ${MAX_NUMBER_LENGTH} characters`, this.text, this.at);
    }
    this.at = NUMBER.lastIndex;
    const value = Number(match[0]);
    if (match[1] === undefined && match[2] === undefined && !Number.isSafeInteger(value)) return BigInt(match[0]);
    return value;
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.unexpected();
    this.at += word.length;
    return value;
  }

  private skip(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private space(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.at += 1;
    }
  }

  private unexpected(): never {
    const code = this.text.codePointAt(this.at);
    const reason =
      code === undefined ? 'unexpected end' : `unexpected character ${JSON.stringify(String.fromCodePoint(code))}`;
    throw new JsonSyntaxError(reason, this.text, this.at);
  }
}
