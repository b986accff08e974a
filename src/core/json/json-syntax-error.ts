/**
 * The text is not valid JSON, or the reader refuses it (too deep, a duplicate key).
 *
 * `offset` counts UTF-16 code units from 0; `line` and `column` count from 1.
 */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly line: number;
  readonly column: number;

  constructor(
    readonly reason: string,
    text: string,
    readonly offset: number,
  ) {
    const lineStart = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
    const column = offset - lineStart + 1;
    let line = 1;
    for (let at = text.indexOf('\n'); at !== -1 && at < lineStart; at = text.indexOf('\n', at + 1)) line += 1;
    super(`${reason} at line ${line}, column ${column}`);
    this.line = line;
    this.column = column;
  }
}
