import { createReadStream } from 'node:fs';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** A document separator: what follows may be JSON or YAML, whatever came before. */
const SEPARATOR = new TextEncoder().encode('\n---\n');

/**
 * The files as one body, unpacked where they are gzip, with a YAML document separator between them: the service takes
 * JSON and YAML documents in one stream, so files of both kinds can be sent together.
 *
 * @param onBytes called with the size of every part that is handed on
 */
export async function* openSnapshotFiles(
  files: readonly string[],
  onBytes: (bytes: number) => void,
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

/** A file's text; gzip is seen by its first two bytes. */
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
  // A broken file destroys the unpacker with its error, which the loop then throws.
  const text = pipeline(whole, createGunzip(), () => undefined);
  for await (const chunk of text) yield chunk as Uint8Array;
}
