import { isLongerThan } from './json-length.js';
import { quoted, stringifyJson, type StringifyJsonOptions } from './lossless-json.js';

/** Characters of a piece, about: what is longer is written part by part. */
const PIECE = 32 * 1024;

/**
 * Writes a value as `stringifyJson` does, in pieces, and yields after each of them: for values whose JSON takes long.
 * @param write called with each piece, in order
 */
export function* stepWriteJson(
  value: unknown,
  write: (piece: string) => void,
  options: StringifyJsonOptions = {},
): Generator<undefined, void> {
  const writer = new PieceWriter(write, options);
  yield* writer.steps(value);
  writer.flush();
}

class PieceWriter {
  private text = '';

  constructor(
    private readonly write: (piece: string) => void,
    private readonly options: StringifyJsonOptions,
  ) {}

  *steps(value: unknown): Generator<undefined, void> {
    if (!isLong(value)) this.text += stringifyJson(value, this.options);
    else if (Array.isArray(value)) yield* this.list(value);
    else yield* this.object(value as Readonly<Record<string, unknown>>);
  }

  flush(): void {
    if (this.text !== '') this.write(this.text);
    this.text = '';
  }

  private *list(list: readonly unknown[]): Generator<undefined, void> {
    let before = '[';
    for (const item of list) {
      this.text += before;
      before = ',';
      if (isLong(item)) yield* this.steps(item);
      else this.text += hasJson(item) ? stringifyJson(item, this.options) : 'null';
      if (this.text.length >= PIECE) {
        this.flush();
        yield;
      }
    }
    this.text += ']';
  }

  private *object(object: Readonly<Record<string, unknown>>): Generator<undefined, void> {
    let before = '{';
    const names = Object.keys(object);
    if (this.options.sortKeys === true) names.sort();
    for (const name of names) {
      const member = object[name];
      if (!hasJson(member)) continue;
      this.text += `${before}${quoted(name)}:`;
      before = ',';
      if (isLong(member)) yield* this.steps(member);
      else this.text += stringifyJson(member, this.options);
      if (this.text.length >= PIECE) {
        this.flush();
        yield;
      }
    }
    this.text += '}';
  }
}

/** Whether a value is written; others are left out of objects, and are null in lists. */
export const hasJson = (value: unknown): boolean =>
  value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';

/** Whether a value is written part by part. What says itself what its JSON is has no parts. */
function isLong(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  return isLongerThan(value, PIECE);
}
