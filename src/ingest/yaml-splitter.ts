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

/**
 * The position in a document. kubectl writes `items` as elements that each begin with a dash at the same indentation.
 */
type State = 'document' | 'before-items' | 'items';

/**
 * Finds the documents of a YAML stream, and the elements of a top-level `items:` in a document that is a block mapping,
 * so that a list of any length is read one object at a time. It only checks how lines begin: the content of a block
 * mapping is always indented deeper than the dash before it.
 *
 * A document ends at a line that begins with `---`, as in k8s.io/apimachinery v0.36.2 (`pkg/util/yaml`, YAMLReader), or
 * at `...`. An alias cannot refer to an anchor in another list element, which no dump does.
 */
export class YamlSplitter {
  private readonly maxBytes: number;
  private state: State = 'document';
  private started = false;
  /** The part of the current line from earlier chunks. */
  private readonly line = new ByteCollector();
  private readonly document = new ByteCollector();
  private documentStart = { offset: 0, line: 1, column: 1 };
  private readonly item = new ByteCollector();
  private itemStart = { offset: 0, line: 1, column: 1 };
  private list: ListContext | undefined;
  private dashIndent = 0;
  /** The line of `items:`, and the number of lines of items that were removed from the document after it. */
  private itemsLine = 0;
  private itemLines = 0;

  constructor(
    private readonly position: StreamPosition,
    limits: IngestLimits,
    private readonly readEnvelope: EnvelopeReader,
  ) {
    this.maxBytes = Math.min(limits.maxItemBytes, limits.maxYamlItemBytes);
  }

  /** Begins a document whose first line starts with `indent` columns of white space. */
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
   * Reads a chunk from an index on, up to the end of the document or of the chunk. `ended` tells which; `next` is the
   * index to continue from: the line feed after the `---`.
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

  /** Ends the stream. */
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
      // Keep an `items:` of another form in the document, which is parsed as a whole.
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

  /** Replaces the dash by a space, so that the text after it keeps its column. */
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

  /** Corrects the line of errors after the items, because the items were removed from the text. */
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

/** Whether a line begins with `---` or `...`, followed by white space or the line's end. */
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
