import type { IngestLimits } from './ingest-limits.js';
import type { ItemProjector } from './item-projector.js';
import { describeByte, JsonSplitter, type EnvelopeReader } from './json-splitter.js';
import type { Piece } from './piece.js';
import { StreamPosition } from './stream-position.js';
import { isDocumentMarker, YamlSplitter } from './yaml-splitter.js';

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;

/**
 * Splits a stream of any supported form into objects: concatenated JSON values, YAML documents, or a mix of both
 * separated by `---`. The first byte of a document decides its form, as in kubectl (k8s.io/apimachinery v0.36.2,
 * pkg/util/yaml, YAMLOrJSONDecoder): an opening bracket or brace starts JSON.
 */
export class DocumentSplitter {
  private readonly position = new StreamPosition();
  private readonly json: JsonSplitter;
  private readonly yaml: YamlSplitter;
  private mode: 'between' | 'separator' | 'comment' | 'json' | 'yaml' = 'between';
  /** Bytes whose meaning depends on the next chunk: a partial `---` or byte order mark at the end of the last chunk. */
  private pending: Uint8Array = new Uint8Array(0);
  /** The number of consecutive bytes of white space and comments between documents. */
  private blanks = 0;

  constructor(
    private readonly limits: IngestLimits,
    readJsonEnvelope: EnvelopeReader,
    readYamlEnvelope: EnvelopeReader,
    projector?: ItemProjector,
  ) {
    this.json = new JsonSplitter(this.position, limits, readJsonEnvelope, projector);
    this.yaml = new YamlSplitter(this.position, limits, readYamlEnvelope);
  }

  /** @throws IngestError of the splitters; `malformed-json` for text after a JSON value that is not JSON. */
  *push(part: Uint8Array): Generator<Piece, void> {
    const chunk = this.pending.length === 0 ? part : Buffer.concat([this.pending, part]);
    this.pending = new Uint8Array(0);
    yield* this.read(chunk, false);
    this.position.base += chunk.length - this.pending.length;
  }

  *end(): Generator<Piece, void> {
    const rest = this.pending;
    this.pending = new Uint8Array(0);
    yield* this.read(rest, true);
    this.position.base += rest.length;
    if (this.mode === 'json') this.json.end();
    else if (this.mode === 'yaml') yield* this.yaml.end();
  }

  private *read(chunk: Uint8Array, last: boolean): Generator<Piece, void> {
    let index = 0;
    while (index < chunk.length) {
      switch (this.mode) {
        case 'json': {
          index = yield* this.json.push(chunk, index);
          if (index < chunk.length) this.mode = 'between';
          if (index < chunk.length && !this.mayFollowJson(chunk, index)) {
            throw this.position.error(
              'malformed-json',
              `unexpected ${describeByte(chunk[index]!)} after a value`,
              index,
            );
          }
          break;
        }
        case 'yaml': {
          const { ended, next } = yield* this.yaml.push(chunk, index);
          index = next;
          if (ended) this.mode = 'between';
          break;
        }
        case 'comment': {
          const feed = chunk.indexOf(LINE_FEED, index);
          const stop = feed < 0 ? chunk.length : feed;
          this.countBlanks(stop - index, stop);
          index = stop;
          if (feed >= 0) this.mode = 'between';
          break;
        }
        case 'separator':
          index = this.afterSeparator(chunk, index);
          break;
        case 'between':
          index = this.between(chunk, index, last);
          break;
      }
    }
  }

  /** Reads white space, comments and separators between documents; returns the index to continue from. */
  private between(chunk: Uint8Array, index: number, last: boolean): number {
    const byte = chunk[index]!;
    if (byte === LINE_FEED) this.position.newline(index);
    if (byte === LINE_FEED || byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN) {
      this.countBlanks(1, index);
      return index + 1;
    }
    const atLineStart = this.position.base + index === this.position.lineStart;
    const couldBeMark = byte === 0xef || (atLineStart && (byte === 0x2d || byte === 0x2e));
    if (couldBeMark && !last && chunk.length - index < 4) {
      this.pending = chunk.slice(index);
      return chunk.length;
    }
    if (byte === 0xef && chunk[index + 1] === 0xbb && chunk[index + 2] === 0xbf) {
      // A byte order mark of the stream, or of a file that was appended to it: columns count from after it.
      if (atLineStart) this.position.lineStart += 3;
      return index + 3;
    }
    if (atLineStart && isDocumentMarker(chunk.subarray(index, index + 4))) {
      this.blanks = 0;
      this.mode = 'separator';
      return index + 3;
    }
    if (byte === 0x23 || (byte === 0x25 && atLineStart)) {
      this.mode = 'comment';
      return index + 1;
    }
    this.blanks = 0;
    if (byte === 0x7b || byte === 0x5b) {
      this.mode = 'json';
    } else {
      this.mode = 'yaml';
      this.yaml.begin(this.position.base + index - this.position.lineStart);
    }
    return index;
  }

  /** Only white space and a comment may follow `---` on its line, as in kubectl. */
  private afterSeparator(chunk: Uint8Array, index: number): number {
    const byte = chunk[index]!;
    if (byte === LINE_FEED || byte === 0x23) {
      this.mode = 'between';
      return index;
    }
    if (byte !== SPACE && byte !== TAB && byte !== CARRIAGE_RETURN) {
      throw this.position.error('malformed-yaml', 'only a comment may follow --- on its line', index);
    }
    this.countBlanks(1, index);
    return index + 1;
  }

  /** Whether text can follow a JSON document: only a new document, or a comment before one. */
  private mayFollowJson(chunk: Uint8Array, index: number): boolean {
    const byte = chunk[index];
    if (byte === 0xef || byte === 0x23) return true;
    if (this.position.base + index !== this.position.lineStart) return false;
    // The rest of the marker may be in the next chunk; if it is something else, `between` treats it as YAML.
    return (byte === 0x2d || byte === 0x2e) && [0, 1, 2].every((at) => (chunk[index + at] ?? byte) === byte);
  }

  private countBlanks(count: number, index: number): void {
    this.blanks += count;
    if (this.blanks <= this.limits.maxWhitespaceBytes) return;
    const message = `more than ${this.limits.maxWhitespaceBytes} bytes of white space or comments in a row`;
    throw this.position.error('too-much-whitespace', message, index);
  }
}
