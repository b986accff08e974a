import type { JsonObject } from '../core/json/json-value.js';
import { ByteCollector } from './byte-collector.js';
import { IngestError, type IngestErrorPlace } from './ingest-error.js';
import type { IngestLimits } from './ingest-limits.js';
import type { ItemProjector, ProjectedItem } from './item-projector.js';
import type { ListContext, Piece } from './piece.js';
import type { StreamPosition } from './stream-position.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const SPACE = 0x20;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const ITEMS = new TextEncoder().encode('items');

/** Parses the text around a list's items. */
export type EnvelopeReader = (bytes: Uint8Array, place: IngestErrorPlace) => JsonObject;

/** The position of the splitter. The first four states are between values, the last two inside one. */
type State = 'top' | 'element-or-end' | 'element' | 'after-element' | 'value' | 'top-object';

/**
 * Finds the boundaries of each object of a JSON stream in one pass over the bytes, without building values: top-level objects,
 * elements of top-level arrays, and elements of the `items` of a top-level object. White space between values is optional, so
 * NDJSON and concatenated lists need no special handling.
 *
 * It skips strings and counts brackets (the parser of a piece checks that they match), without recursion. It copies bytes only
 * if a piece spans chunks.
 */
export class JsonSplitter {
  private state: State = 'top';
  private depth = 0;
  private inString = false;
  private escaped = false;
  /** The number of consecutive white space bytes between values. */
  private blanks = 0;
  /** The list whose items are being read; undefined in a top-level array. */
  private list: ListContext | undefined;
  private start = { offset: 0, line: 1, column: 1 };
  /** The part of an item or top-level object from earlier chunks. */
  private readonly held = new ByteCollector();
  /** A list without its items. */
  private readonly envelope = new ByteCollector();
  private isList = false;
  /** The number of characters of the string at depth 1 that match `items`; -1 if it does not match. */
  private matched = -1;
  /** Whether the last string at depth 1, or the key before the last colon, is `items`. */
  private sawItems = false;
  private afterItemsColon = false;
  /** Whether the projector has loaded the current chunk. */
  private loaded = false;

  constructor(
    private readonly position: StreamPosition,
    private readonly limits: IngestLimits,
    private readonly readEnvelope: EnvelopeReader,
    private readonly projector?: ItemProjector,
  ) {}

  /** Whether the stream may end, or switch to another document, at this position. */
  get atTop(): boolean {
    return this.state === 'top';
  }

  /** Whether the position is inside a string, where a line feed is invalid. */
  get insideString(): boolean {
    return this.inString;
  }

  /**
   * Reads a chunk from an index on. Returns the index at which it stopped: the chunk's end, or a top-level byte that starts
   * neither an object nor an array and is not white space.
   *
   * @throws IngestError `malformed-json`, `too-deep`, `item-too-large`, `too-much-whitespace`, `not-an-object`
   */
  *push(chunk: Uint8Array, from: number): Generator<Piece, number> {
    let index = from;
    this.loaded = false;
    while (index < chunk.length) {
      if (this.state === 'value') {
        const item = this.held.length === 0 ? this.project(chunk, index) : undefined;
        if (item !== undefined) {
          this.state = 'after-element';
          index = item.end;
          yield { type: 'read', read: item, ...this.start };
          continue;
        }
        const first = index;
        const end = this.scanValue(chunk, index);
        if (end < 0) {
          this.hold(this.held, chunk, first, chunk.length);
          return chunk.length;
        }
        index = end;
        yield this.finishValue(chunk, first, end);
      } else if (this.state === 'top-object') {
        const first = index;
        const end = this.scanTopObject(chunk, index);
        this.hold(this.envelope, chunk, first, end < 0 ? chunk.length : end);
        if (end < 0) return chunk.length;
        index = end;
        if (this.depth === 0) yield this.finishTopObject();
        else this.enterItems();
      } else {
        const byte = chunk[index]!;
        if (byte === SPACE || byte === LINE_FEED || byte === 0x0d || byte === 0x09) {
          index = this.skipBlanks(chunk, index);
          continue;
        }
        this.blanks = 0;
        if (this.state === 'top') {
          if (byte !== OPEN_BRACE && byte !== OPEN_BRACKET) return index;
          this.enterTop(byte, index);
          if (byte === OPEN_BRACKET) index++;
          else {
            // An object that was read as one of a stored kind is not a list, so it has no `items` to find.
            const item = this.project(chunk, index);
            if (item === undefined) continue;
            this.state = 'top';
            index = item.end;
            yield { type: 'read', read: item, ...this.start };
          }
        } else {
          index = this.between(byte, index);
        }
      }
    }
    return index;
  }

  /** @throws IngestError `truncated` in the middle of a value. */
  end(): void {
    if (this.state === 'top') return;
    throw this.position.error('truncated', 'the body ends in the middle of a JSON value', 0);
  }

  /** Reads the item at an index in place, without splitting it off first; undefined if that is not possible. */
  private project(chunk: Uint8Array, index: number): ProjectedItem | undefined {
    if (this.projector === undefined) return undefined;
    if (!this.loaded) this.projector.load(chunk);
    this.loaded = true;
    const item = this.projector.project(index, this.list?.envelope, false);
    if (item === undefined) return undefined;
    if (item.lineFeeds > 0) this.position.newlines(item.lineFeeds, chunk.lastIndexOf(LINE_FEED, item.end - 1));
    return item;
  }

  private skipBlanks(chunk: Uint8Array, from: number): number {
    let index = from;
    for (; index < chunk.length; index++) {
      const byte = chunk[index]!;
      if (byte === LINE_FEED) this.position.newline(index);
      else if (byte !== SPACE && byte !== 0x0d && byte !== 0x09) break;
    }
    this.blanks += index - from;
    if (this.blanks > this.limits.maxWhitespaceBytes) {
      throw this.position.error(
        'too-much-whitespace',
        `more than ${this.limits.maxWhitespaceBytes} bytes of white space in a row`,
        index,
      );
    }
    return index;
  }

  private enterTop(byte: number, index: number): void {
    this.list = undefined;
    if (byte === OPEN_BRACKET) {
      this.state = 'element-or-end';
      return;
    }
    this.state = 'top-object';
    this.depth = 0;
    this.isList = false;
    this.matched = -1;
    this.sawItems = false;
    this.afterItemsColon = false;
    this.start = this.position.place(index);
    this.envelope.clear();
  }

  /** Handles a byte between the elements of an array; returns the index to continue from. */
  private between(byte: number, index: number): number {
    const wantsElement = this.state !== 'after-element';
    if (wantsElement && byte === OPEN_BRACE) {
      this.state = 'value';
      this.depth = 0;
      this.start = this.position.place(index);
      this.held.clear();
      return index;
    }
    if (byte === CLOSE_BRACKET && this.state !== 'element') {
      if (this.list === undefined) {
        this.state = 'top';
        return index + 1;
      }
      // The bracket belongs to the envelope, which it closes by one level.
      this.state = 'top-object';
      this.depth = 2;
      return index;
    }
    if (!wantsElement && byte === COMMA) {
      this.state = 'element';
      return index + 1;
    }
    // The element is null, true, false, a number, a string or an array.
    if (wantsElement && (byte === QUOTE || byte === OPEN_BRACKET || byte === 0x2d || isAlphanumeric(byte))) {
      throw this.position.error('not-an-object', 'an element of the list is not an object', index);
    }
    throw this.unexpected(byte, index);
  }

  /** Continues inside an element; returns the index after its last byte, or -1 if the chunk ends first. */
  private scanValue(chunk: Uint8Array, from: number): number {
    const length = chunk.length;
    const { maxDepth } = this.limits;
    let { depth, inString, escaped } = this;
    let index = from;
    for (; index < length; index++) {
      let byte = chunk[index]!;
      if (inString) {
        if (escaped) {
          escaped = false;
          continue;
        }
        while (byte !== QUOTE && byte !== BACKSLASH) {
          if (++index >= length) break;
          byte = chunk[index]!;
        }
        if (index >= length) break;
        if (byte === BACKSLASH) escaped = true;
        else inString = false;
      } else if (byte === QUOTE) {
        inString = true;
      } else if (byte === LINE_FEED) {
        this.position.newline(index);
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (++depth > maxDepth) throw this.tooDeep(index);
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (--depth === 0) return index + 1;
      }
    }
    this.depth = depth;
    this.inString = inString;
    this.escaped = escaped;
    return -1;
  }

  private finishValue(chunk: Uint8Array, first: number, end: number): Piece {
    let bytes = chunk.subarray(first, end);
    if (this.held.length > 0) {
      this.held.append(bytes);
      bytes = this.held.view();
    }
    this.checkSize(bytes.length);
    this.inString = false;
    this.escaped = false;
    this.state = 'after-element';
    return { type: this.list ? 'item' : 'object', format: 'json', bytes, list: this.list, ...this.start };
  }

  /**
   * Continues inside a top-level object and watches its own keys. Returns the index after its last byte (depth 0), after the
   * bracket that opens its `items` (depth 1), or -1 if the chunk ends first.
   */
  private scanTopObject(chunk: Uint8Array, from: number): number {
    for (let index = from; index < chunk.length; index++) {
      const byte = chunk[index]!;
      if (this.inString) {
        this.scanTopString(byte);
        continue;
      }
      if (byte === LINE_FEED) this.position.newline(index);
      if (byte <= SPACE) continue;
      const opensItems = this.afterItemsColon && byte === OPEN_BRACKET;
      this.afterItemsColon = byte === COLON && this.sawItems;
      this.sawItems = false;
      if (opensItems) return index + 1;
      if (byte === QUOTE) {
        this.inString = true;
        this.matched = this.depth === 1 ? 0 : -1;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (++this.depth > this.limits.maxDepth) throw this.tooDeep(index);
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (--this.depth === 0) return index + 1;
      }
    }
    return -1;
  }

  private scanTopString(byte: number): void {
    if (this.escaped) {
      this.escaped = false;
    } else if (byte === BACKSLASH) {
      this.escaped = true;
      this.matched = -1;
    } else if (byte === QUOTE) {
      this.inString = false;
      this.sawItems = this.matched === ITEMS.length;
    } else if (this.matched >= 0) {
      this.matched = ITEMS[this.matched] === byte ? this.matched + 1 : -1;
    }
  }

  private finishTopObject(): Piece {
    this.state = 'top';
    const bytes = this.envelope.view();
    const { list } = this;
    if (!this.isList || list === undefined) {
      return { type: 'object', format: 'json', bytes, list: undefined, ...this.start };
    }
    list.envelope = this.readEnvelope(bytes, this.start);
    this.list = undefined;
    return { type: 'list', format: 'json', list };
  }

  /** Closes a copy of the envelope so far, to parse it as an object: `{"kind": "PodList", "items": [` plus `]}`. */
  private enterItems(): void {
    const closed = new Uint8Array(this.envelope.length + 2);
    closed.set(this.envelope.view());
    closed.set([CLOSE_BRACKET, CLOSE_BRACE], this.envelope.length);
    const envelope = this.readEnvelope(closed, this.start);
    if (this.list === undefined) this.list = { envelope, place: this.start };
    else this.list.envelope = envelope;
    this.isList = true;
    this.state = 'element-or-end';
  }

  private hold(collector: ByteCollector, chunk: Uint8Array, from: number, to: number): void {
    this.checkSize(collector.length + to - from);
    collector.append(chunk.subarray(from, to));
  }

  private checkSize(size: number): void {
    if (size <= this.limits.maxItemBytes) return;
    throw new IngestError('item-too-large', `an object is larger than ${this.limits.maxItemBytes} bytes`, this.start);
  }

  private tooDeep(index: number): IngestError {
    return this.position.error('too-deep', `nested deeper than ${this.limits.maxDepth} levels`, index);
  }

  private unexpected(byte: number, index: number): IngestError {
    return this.position.error('malformed-json', `unexpected ${describeByte(byte)}`, index);
  }
}

const isAlphanumeric = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);

/** Formats a byte for a message. */
export function describeByte(byte: number): string {
  return byte > SPACE && byte < 0x7f
    ? `character ${JSON.stringify(String.fromCharCode(byte))}`
    : `byte 0x${byte.toString(16).padStart(2, '0')}`;
}
