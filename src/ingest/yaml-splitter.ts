import type { JsonObject } from '../core/json/json-value.js';
import { ByteCollector } from './byte-collector.js';
import { IngestError } from './ingest-error.js';
import type { IngestLimits } from './ingest-limits.js';
import type { EnvelopeReader } from './json-splitter.js';
import type { ListContext, Piece } from './piece.js';
import type { StreamPosition } from './stream-position.js';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const HASH = 0x23;
const DASH = 0x2d;
const DOT = 0x2e;
const EMPTY_ITEMS = new TextEncoder().encode('items: []\n');
const ITEMS_LINE = /^items:[ \t]*(#.*)?\r?\n?$/;

/** A line of a document, `items` of it as kubectl writes them: each element begins with a dash at one indentation. */
type State = 'document' | 'before-items' | 'items';

/**
 * Finds the documents of a YAML stream, and inside a document that is a block mapping with a top-level `items:`, each
 * element of it, so that a list of any length is read an object at a time. It looks at how lines begin and at nothing
 * else: the content of a block mapping is always indented deeper than the dash before it.
 *
 * Documents end at a line that begins with `---`, as k8s.io/apimachinery v0.36.2 (`pkg/util/yaml`, YAMLReader) splits
 * them, or at `...`. An alias cannot reach from one element of a list into another, which no dump does.
 */
export class YamlSplitter {
  private readonly maxBytes: number;
  private state: State = 'document';
  private started = false;
  /** The current line, as far as earlier chunks held it. */
  private readonly line = new ByteCollector();
  private readonly document = new ByteCollector();
  private documentStart = { offset: 0, line: 1, column: 1 };
  private readonly item = new ByteCollector();
  private itemStart = { offset: 0, line: 1, column: 1 };
  private list: ListContext | undefined;
  private dashIndent = 0;
  /** The line of `items:`, and how many lines of items after it the document does not hold. */
  private itemsLine = 0;
  private itemLines = 0;

  constructor(
    private readonly position: StreamPosition,
    limits: IngestLimits,
    private readonly readEnvelope: EnvelopeReader,
  ) {
    this.maxBytes = Math.min(limits.maxItemBytes, limits.maxYamlItemBytes);
  }

  /** Begins a document whose first line has so many columns of white space before the next byte. */
  begin(indent: number): void {
    this.state = 'document';
    this.started = false;
    this.list = undefined;
    this.document.clear();
    this.item.clear();
    this.line.clear();
    this.line.append(new Uint8Array(indent).fill(SPACE));
  }

  /**
   * Reads a chunk from an index on, up to the end of the document or of the chunk. `ended` says which; `next` is where
   * to go on: at the line feed after the `---`.
   */
  *push(chunk: Uint8Array, from: number): Generator<Piece, { ended: boolean; next: number }> {
    let index = from;
    while (index < chunk.length) {
      const feed = chunk.indexOf(LINE_FEED, index);
      const stop = feed < 0 ? chunk.length : feed + 1;
      if (feed < 0 || this.line.length > 0) {
        if (this.line.length + stop - index > this.maxBytes) throw this.tooLarge();
        this.line.append(chunk.subarray(index, stop));
      }
      if (feed < 0) return { ended: false, next: chunk.length };
      const line = this.line.length > 0 ? this.line.view() : chunk.subarray(index, stop);
      if (isDocumentMarker(line)) {
        if (!isBlankOrComment(line.subarray(3))) {
          throw this.position.error('malformed-yaml', 'only a comment may follow --- on its line', stop - line.length);
        }
        yield* this.finish();
        return { ended: true, next: feed };
      }
      yield* this.take(line, stop - line.length);
      this.line.clear();
      this.position.newline(feed);
      index = stop;
    }
    return { ended: false, next: index };
  }

  /** The stream ends here. */
  *end(): Generator<Piece, void> {
    if (this.line.length > 0) {
      const line = this.line.view();
      if (!isDocumentMarker(line)) yield* this.take(line, -line.length);
      this.line.clear();
    }
    yield* this.finish();
  }

  private *take(line: Uint8Array, index: number): Generator<Piece, void> {
    if (!this.started) {
      this.started = true;
      this.documentStart = this.position.place(index);
    }
    if (this.state === 'before-items') {
      if (isBlankOrComment(line)) {
        this.add(this.document, line);
        return;
      }
      const indent = dashIndentOf(line);
      if (indent >= 0) {
        this.dashIndent = indent;
        this.enterItems();
        this.beginItem(line, index);
        return;
      }
      // `items:` of another shape: it stays in the document, to be parsed as a whole.
      this.add(this.document, new TextEncoder().encode('items:\n'));
      this.state = 'document';
    }
    if (this.state === 'items') {
      const indent = indentOf(line);
      if (isBlankOrComment(line) || indent > this.dashIndent) {
        this.add(this.item, line);
        return;
      }
      yield this.itemPiece();
      if (dashIndentOf(line) === this.dashIndent) {
        this.beginItem(line, index);
        return;
      }
      this.itemLines = this.position.line - this.itemsLine - 1;
      this.state = 'document';
    }
    if (line[0] === 0x69 && line.length < 200 && ITEMS_LINE.test(Buffer.from(line).toString('latin1'))) {
      this.state = 'before-items';
      this.itemsLine = this.position.line;
      return;
    }
    this.add(this.document, line);
  }

  private enterItems(): void {
    this.add(this.document, EMPTY_ITEMS);
    const envelope = this.readEnvelope(this.document.view(), this.documentStart);
    if (this.list === undefined) this.list = { envelope, place: this.documentStart };
    else this.list.envelope = envelope;
    this.state = 'items';
  }

  /** The dash becomes a space: what follows it keeps its column. */
  private beginItem(line: Uint8Array, index: number): void {
    this.item.clear();
    this.itemStart = this.position.place(index);
    const dashless = line.slice();
    dashless[this.dashIndent] = SPACE;
    this.add(this.item, dashless);
  }

  private itemPiece(): Piece {
    return { type: 'item', format: 'yaml', bytes: this.item.view(), list: this.list, ...this.itemStart };
  }

  private *finish(): Generator<Piece, void> {
    if (this.state === 'items') yield this.itemPiece();
    else if (this.state === 'before-items') this.add(this.document, new TextEncoder().encode('items:\n'));
    this.state = 'document';
    const { list } = this;
    if (list !== undefined) {
      list.envelope = this.readWholeEnvelope();
      this.list = undefined;
      yield { type: 'list', format: 'yaml', list };
    } else if (this.started) {
      const bytes = this.document.view();
      yield { type: 'object', format: 'yaml', bytes, list: undefined, ...this.documentStart };
    }
    this.started = false;
  }

  /** Errors after the items are reported with their line in the stream, although the items are gone from the text. */
  private readWholeEnvelope(): JsonObject {
    try {
      return this.readEnvelope(this.document.view(), this.documentStart);
    } catch (error) {
      if (!(error instanceof IngestError) || (error.line ?? 0) <= this.itemsLine) throw error;
      const { code, message, ...place } = error.toData();
      throw new IngestError(code, message, { ...place, line: error.line! + this.itemLines }, { cause: error });
    }
  }

  private add(collector: ByteCollector, bytes: Uint8Array): void {
    if (collector.length + bytes.length > this.maxBytes) throw this.tooLarge();
    collector.append(bytes);
  }

  private tooLarge(): IngestError {
    const place = this.state === 'items' ? this.itemStart : this.documentStart;
    const what = this.state === 'items' ? 'an object' : 'a YAML document (apart from its items)';
    return new IngestError('item-too-large', `${what} is larger than ${this.maxBytes} bytes`, place);
  }
}

/** `---` or `...` at the start of a line, then white space or the line's end. */
export function isDocumentMarker(line: Uint8Array): boolean {
  const byte = line[0];
  if ((byte !== DASH && byte !== DOT) || line[1] !== byte || line[2] !== byte) return false;
  const after = line[3];
  return after === undefined || after === SPACE || after === TAB || after === LINE_FEED || after === CARRIAGE_RETURN;
}

function indentOf(line: Uint8Array): number {
  let indent = 0;
  while (line[indent] === SPACE) indent++;
  return indent;
}

/** The indentation of a line that begins an element of a block sequence, or -1. */
function dashIndentOf(line: Uint8Array): number {
  const indent = indentOf(line);
  if (line[indent] !== DASH) return -1;
  const after = line[indent + 1];
  return after === undefined || after === SPACE || after === LINE_FEED || after === CARRIAGE_RETURN ? indent : -1;
}

function isBlankOrComment(line: Uint8Array): boolean {
  for (const byte of line) {
    if (byte === HASH || byte === LINE_FEED) return true;
    if (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) return false;
  }
  return true;
}
