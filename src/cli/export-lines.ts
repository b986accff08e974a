import { canonicalJson } from '../core/audit/canonical-json.js';
import { parseJson } from '../core/json/lossless-json.js';

/** A record out of an export: the text that its hash is of, and the hash. */
export interface ExportedRecord {
  readonly text: string;
  readonly hash: string;
}

const NEWLINE = 0x0a;
/** Far longer than any record, in bytes. */
const LONGEST_LINE = 256 * 1024 * 1024;

/** What is read is no export: its lines would not end. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
}

/**
 * The lines of a file without their ends, one in memory at a time; a last line that is empty is none.
 * @throws {LineTooLong}
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  // Only a line feed ends a line: a text of JSON may have any other separator in it.
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
    if (length > LONGEST_LINE) throw new LineTooLong(`a line is longer than ${LONGEST_LINE} bytes`);
  }
  if (parts.length > 0) yield Buffer.concat(parts);
}

const HEAD = /^\{"hash":"([0-9a-f]{64})","content":/;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The record in a line. As the service writes it, the content is the very text that was hashed; a line that was formatted anew
 * on its way still means the same, and is brought back to that text. undefined for what is no record.
 * @param sha256 in lower-case hexadecimal
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
  return formattedAnew(text);
}

function formattedAnew(text: string): ExportedRecord | undefined {
  try {
    // A name given twice would say one thing here and another to whoever else reads it.
    const value = parseJson(text, { duplicateKeys: 'reject' });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const { hash, content } = value;
    if (typeof hash !== 'string' || typeof content !== 'object' || content === null) return undefined;
    return { text: canonicalJson(content), hash };
  } catch {
    return undefined;
  }
}
