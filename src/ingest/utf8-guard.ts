import { isUtf8 } from 'node:buffer';
import { IngestError } from './ingest-error.js';

/**
 * Checks chunk by chunk that a stream is valid UTF-8.
 *
 * A character may span two chunks; at most its first three bytes are kept until the next chunk.
 */
export class Utf8Guard {
  private offset = 0;
  private tail: Uint8Array = new Uint8Array(0);

  /** @throws IngestError `unsupported-encoding` with the offset of the first byte that is not UTF-8. */
  check(chunk: Uint8Array): void {
    if (this.offset === 0) refuseWide(chunk);
    let body = chunk;
    if (this.tail.length > 0) {
      // Complete the character that the last chunk began.
      const need = Math.min(sequenceLength(this.tail[0]!) - this.tail.length, chunk.length);
      const joined = new Uint8Array([...this.tail, ...chunk.subarray(0, need)]);
      const start = this.offset - this.tail.length;
      if (joined.length < sequenceLength(joined[0]!)) {
        if (badByteAt(joined, true) >= 0) throw broken(start + badByteAt(joined, true));
        this.tail = joined;
        this.offset += chunk.length;
        return;
      }
      if (!isUtf8(joined)) throw broken(start + Math.max(0, badByteAt(joined, false)));
      body = chunk.subarray(need);
    }
    const whole = body.length - unfinished(body);
    const checked = body.subarray(0, whole);
    const base = this.offset + (chunk.length - body.length);
    if (!isUtf8(checked)) throw broken(base + Math.max(0, badByteAt(checked, false)));
    this.tail = body.slice(whole);
    if (badByteAt(this.tail, true) >= 0) throw broken(base + whole + badByteAt(this.tail, true));
    this.offset += chunk.length;
  }

  end(): void {
    if (this.tail.length > 0) throw broken(this.offset - this.tail.length);
  }
}

const broken = (offset: number): IngestError =>
  new IngestError('unsupported-encoding', `byte ${offset} is not UTF-8`, { offset });

/** Rejects UTF-16 and UTF-32, which show by their byte order mark or by the NUL in every ASCII character. */
function refuseWide(chunk: Uint8Array): void {
  const [a, b] = chunk;
  const wide =
    (a === 0xfe && b === 0xff) || (a === 0xff && b === 0xfe) || (chunk.length > 1 && (a === 0) !== (b === 0));
  if (!wide && !(a === 0 && b === 0)) return;
  throw new IngestError('unsupported-encoding', 'the body is UTF-16, UTF-32 or binary; send UTF-8', { offset: 0 });
}

/** The length of a character with this first byte; 1 for a byte that cannot be the first. */
function sequenceLength(lead: number): number {
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xc2 && lead <= 0xdf ? 2 : 1;
}

/** The number of bytes at the end that begin an incomplete character. */
function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** The offset of the first invalid byte, or -1; `open` allows the last character to be incomplete. */
function badByteAt(bytes: Uint8Array, open: boolean): number {
  let index = 0;
  while (index < bytes.length) {
    const lead = bytes[index]!;
    if (lead < 0x80) {
      index++;
      continue;
    }
    const length = sequenceLength(lead);
    if (length === 1) return index;
    for (let more = 1; more < length; more++) {
      const byte = bytes[index + more];
      if (byte === undefined) return open ? -1 : index;
      // The second byte reveals overlong forms, surrogates and code points beyond U+10FFFF.
      const low = more > 1 ? 0x80 : lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
      const high = more > 1 ? 0xbf : lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
      if (byte < low || byte > high) return index;
    }
    index += length;
  }
  return -1;
}
