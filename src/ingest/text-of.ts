import { isAscii } from 'node:buffer';

/** Decodes bytes known to be UTF-8, with a fast path for ASCII, which most dumps are. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
