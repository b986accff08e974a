import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A document separator: the next document may be JSON or YAML, whatever the previous one is. */
const SEPARATOR = new TextEncoder().encode('\n---\n');

/**
 * Combines the files into one body, decompressed if they are gzip, with a YAML document separator between them: the
 * service accepts JSON and YAML documents in one stream, so both kinds of files can be sent together.
 *
 * @param onBytes receives the size of each chunk
 */
export async function* openSnapshotFiles(
  files: readonly string[],
  onBytes: (bytes: number) => void = () => undefined,
): AsyncGenerator<Uint8Array, void> {
  for (const [index, file] of files.entries()) {
    if (index > 0) yield SEPARATOR;
    const source = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: 256 * 1024 });
    for await (const chunk of unpacked(source)) {
      onBytes(chunk.length);
      yield chunk;
    }
  }
}

/** The text of a file; gzip is recognized by its first two bytes. */
async function* unpacked(source: Readable): AsyncGenerator<Uint8Array, void> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  let start = Buffer.alloc(0);
  while (start.length < 2) {
    const next = await chunks.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  async function* whole(): AsyncGenerator<Uint8Array, void> {
    if (start.length > 0) yield start;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  }
  if (start[0] !== 0x1f || start[1] !== 0x8b) return yield* whole();
  // A damaged file destroys the decompressor with an error, which the loop then throws.
  const text = pipeline(whole, createGunzip(), () => undefined);
  for await (const chunk of text) yield chunk as Uint8Array;
}
