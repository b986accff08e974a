import { canonicalJson } from '../core/audit/canonical-json.js';
import { parseJson } from '../core/json/lossless-json.js';
import { isJsonObject } from '../core/json/json-value.js';

/** A record of an export: the text that was hashed, and the hash. */
export interface ExportedRecord {
  readonly text: string;
  readonly hash: string;
}

const NEWLINE = 0x0a;
/** In bytes; far longer than any record. */
const MAX_LINE_LENGTH = 256 * 1024 * 1024;

/** The file is not an export: a line is too long. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
}

/**
 * Yields the lines of a file without line ends, one at a time; an empty last line is skipped.
 * @throws {LineTooLong}
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  // Only a line feed ends a line: JSON text may contain other line separators.
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]);
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > MAX_LINE_LENGTH) throw new LineTooLong(`a line is longer than ${MAX_LINE_LENGTH} bytes`);
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

const HEAD = /^\{"hash":"([0-9a-f]{64})","content":/;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses the record in a line. The service writes the exact text that was hashed; a line that was reformatted is
 * converted back to it. Returns undefined for anything else.
 * @param sha256 returns lower-case hexadecimal
 */
export function recordIn(line: Uint8Array, sha256: (text: string) => string): ExportedRecord | undefined {
  let text: string;
  try {
    text = decoder.decode(line).trimEnd();
  } catch {
    return undefined;
  }
  const hash = HEAD.exec(text)?.[1];
  if (hash !== undefined && text.endsWith('}')) {
    const written = text.slice(HEAD.exec(text)![0].length, -1);
    if (sha256(written) === hash) return { text: written, hash };
  }
  return reformatted(text);
}

function reformatted(text: string): ExportedRecord | undefined {
  try {
    // A duplicate name could mean different things to different readers.
    const value = parseJson(text, { duplicateKeys: 'reject' });
    if (!isJsonObject(value)) return undefined;
    const { hash, content } = value;
    if (typeof hash !== 'string' || typeof content !== 'object' || content === null) return undefined;
    return { text: canonicalJson(content), hash };
  } catch {
    return undefined;
  }
}
