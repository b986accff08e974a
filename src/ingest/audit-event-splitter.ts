import type { JsonObject } from '../core/json/json-value.js';
import { ByteCollector } from './byte-collector.js';
import { IngestError } from './ingest-error.js';
import type { IngestLimits } from './ingest-limits.js';
import { describeByte, JsonSplitter, type EnvelopeReader } from './json-splitter.js';
import { StreamPosition } from './stream-position.js';

const LINE_FEED = 0x0a;

/** A part of a stream of audit events that can be parsed alone, or that is malformed. */
export type AuditPiece =
  | {
      readonly type: 'text';
      /** An Event; outside a list also an EventList or an array of events. Valid until the next piece is requested. */
      readonly bytes: Uint8Array;
      /** The members before `items` in the EventList that contains it. */
      readonly list: JsonObject | undefined;
      readonly line: number;
    }
  /** An EventList has ended. */
  | { readonly type: 'list' }
  | { readonly type: 'broken'; readonly error: IngestError; readonly line: number };

/**
 * Splits audit events in either of the two forms that an API server writes: its log file, with one event per line, where a
 * malformed line is a piece of its own; or the EventLists of its webhook, which are read item by item and may be of any
 * length.
 *
 * The end of the first line decides between the forms. A JSON value that continues there, outside a string, is a multi-line
 * document; if it is malformed, there is no next line to resume at.
 */
export class AuditEventSplitter {
  private readonly position = new StreamPosition();
  private readonly json: JsonSplitter;
  private mode: 'start' | 'first line' | 'document' | 'lines' = 'start';
  /** The error in the current line, whose rest is skipped. */
  private broken: IngestError | undefined;
  private lineNumber = 1;
  private readonly held = new ByteCollector();

  constructor(
    private readonly limits: IngestLimits,
    readEnvelope: EnvelopeReader,
  ) {
    this.json = new JsonSplitter(this.position, limits, readEnvelope);
  }

  /** @throws IngestError for a malformed document: `malformed-json`, `too-deep`, `item-too-large` */
  *push(chunk: Uint8Array): Generator<AuditPiece, void> {
    let index = 0;
    while (index < chunk.length) {
      switch (this.mode) {
        case 'start':
          index = this.start(chunk, index);
          break;
        case 'first line':
          index = yield* this.firstLine(chunk, index);
          break;
        case 'document':
          index = yield* this.document(chunk, index);
          break;
        case 'lines':
          index = yield* this.line(chunk, index);
          break;
      }
    }
    this.position.base += chunk.length;
  }

  /** @throws IngestError `truncated`, or the error of the only line */
  *end(): Generator<AuditPiece, void> {
    if (this.mode === 'lines') {
      yield* this.finishLine(new Uint8Array(0));
      return;
    }
    if (this.broken !== undefined) throw this.broken;
    this.json.end();
  }

  /** Skips white space and a byte order mark. */
  private start(chunk: Uint8Array, from: number): number {
    for (let index = from; index < chunk.length; index++) {
      const byte = chunk[index]!;
      if (byte === LINE_FEED) this.position.newline(index);
      else if (!isBlank(byte) && byte !== 0xef && byte !== 0xbb && byte !== 0xbf) {
        this.mode = 'first line';
        this.lineNumber = this.position.line;
        return index;
      }
    }
    return chunk.length;
  }

  private *firstLine(chunk: Uint8Array, from: number): Generator<AuditPiece, number> {
    const feed = chunk.indexOf(LINE_FEED, from);
    const end = feed < 0 ? chunk.length : feed;
    if (this.broken === undefined) {
      try {
        const index = yield* this.pieces(chunk.subarray(0, end), from);
        if (index < end) throw this.unexpected(chunk[index]!, index);
      } catch (error) {
        if (!(error instanceof IngestError)) throw error;
        this.broken = error;
      }
    }
    if (feed < 0) return end;
    if (this.broken === undefined && !this.json.atTop) {
      if (!this.json.insideString) {
        this.mode = 'document';
        return end;
      }
      this.broken = this.position.error('malformed-json', 'the line ends in the middle of a string', end);
    }
    if (this.broken !== undefined) yield { type: 'broken', error: this.broken, line: this.lineNumber };
    this.mode = 'lines';
    this.nextLine(feed);
    return feed + 1;
  }

  private *document(chunk: Uint8Array, from: number): Generator<AuditPiece, number> {
    const index = yield* this.pieces(chunk, from);
    if (index < chunk.length) throw this.unexpected(chunk[index]!, index);
    return index;
  }

  private *pieces(chunk: Uint8Array, from: number): Generator<AuditPiece, number> {
    const pieces = this.json.push(chunk, from);
    for (;;) {
      const next = pieces.next();
      if (next.done === true) return next.value;
      const piece = next.value;
      if (piece.type === 'list') yield { type: 'list' };
      // Without a projector, the splitter returns no pieces that are already read.
      else if (piece.type !== 'read') {
        yield { type: 'text', bytes: piece.bytes, list: piece.list?.envelope, line: piece.line };
      }
    }
  }

  private *line(chunk: Uint8Array, from: number): Generator<AuditPiece, number> {
    const feed = chunk.indexOf(LINE_FEED, from);
    const rest = chunk.subarray(from, feed < 0 ? chunk.length : feed);
    if (feed < 0) {
      this.hold(rest);
      return chunk.length;
    }
    yield* this.finishLine(rest);
    this.nextLine(feed);
    return feed + 1;
  }

  private *finishLine(rest: Uint8Array): Generator<AuditPiece, void> {
    let bytes = rest;
    if (this.held.length > 0 || rest.length > this.limits.maxItemBytes) {
      this.hold(rest);
      bytes = this.held.view();
    }
    const line = this.lineNumber;
    if (this.broken !== undefined) yield { type: 'broken', error: this.broken, line };
    else if (!bytes.every(isBlank)) yield { type: 'text', bytes, list: undefined, line };
  }

  private hold(bytes: Uint8Array): void {
    if (this.broken !== undefined) return;
    const { maxItemBytes } = this.limits;
    if (this.held.length + bytes.length <= maxItemBytes) {
      this.held.append(bytes);
      return;
    }
    this.held.clear();
    this.broken = new IngestError('item-too-large', `the line is longer than ${maxItemBytes} bytes`);
  }

  private nextLine(feed: number): void {
    this.position.newline(feed);
    this.lineNumber = this.position.line;
    this.broken = undefined;
    this.held.clear();
  }

  private unexpected(byte: number, index: number): IngestError {
    return this.position.error('malformed-json', `unexpected ${describeByte(byte)}`, index);
  }
}

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0d || byte === 0x09;
