import { IngestError, type IngestErrorCode } from './ingest-error.js';

/** The position of a splitter in the decoded stream. */
export class StreamPosition {
  /** Offset of the current chunk's first byte. */
  base = 0;
  /** The current line, from 1, and the offset at which it begins. */
  line = 1;
  lineStart = 0;

  /** Records a line feed at this index of the current chunk. */
  newline(index: number): void {
    this.line++;
    this.lineStart = this.base + index + 1;
  }

  /** Records several line feeds, the last of them at this index of the current chunk. */
  newlines(count: number, last: number): void {
    this.line += count - 1;
    this.newline(last);
  }

  place(index: number): { offset: number; line: number; column: number } {
    const offset = this.base + index;
    return { offset, line: this.line, column: offset - this.lineStart + 1 };
  }

  error(code: IngestErrorCode, message: string, index: number): IngestError {
    return new IngestError(code, message, this.place(index));
  }
}
