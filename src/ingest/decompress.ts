import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { codeOf, IngestError } from './ingest-error.js';
import type { IngestLimits } from './ingest-limits.js';

/** Counters of the bytes read and decoded so far. */
export interface ByteCounts {
  bytesRead: number;
  bytesDecoded: number;
}

/** Handles a dump that was compressed as a file and again for transfer; deeper nesting is not unpacked. */
const MAX_LAYERS = 2;

/**
 * The decompressed stream. gzip is recognized by its declaration or by its first two bytes.
 *
 * A chunk of the source is not used any more when the next one is requested, and a chunk of the result need not be valid after that.
 *
 * @throws IngestError `body-too-large`, `compression-ratio`, `malformed-gzip`, `truncated`.
 */
export async function* decompress(
  source: AsyncIterable<Uint8Array>,
  declared: boolean,
  limits: IngestLimits,
  counts: ByteCounts,
): AsyncGenerator<Uint8Array, void> {
  let stream: AsyncIterable<Uint8Array> = counted(source, limits, counts);
  for (let layer = 0; layer < MAX_LAYERS; layer++) {
    const start = await peek(stream);
    stream = start.stream;
    if (!start.gzip && !(declared && layer === 0)) break;
    stream = gunzip(stream);
  }
  for await (const chunk of stream) {
    counts.bytesDecoded += chunk.length;
    if (counts.bytesDecoded > limits.maxDecodedBytes) {
      throw new IngestError('body-too-large', `the body contains more than ${limits.maxDecodedBytes} bytes`);
    }
    if (
      counts.bytesDecoded > limits.ratioGraceBytes &&
      counts.bytesDecoded > counts.bytesRead * limits.maxCompressionRatio
    ) {
      throw new IngestError(
        'compression-ratio',
        `the body decompresses to more than ${limits.maxCompressionRatio} times its compressed size`,
      );
    }
    yield chunk;
  }
}

async function* counted(
  source: AsyncIterable<Uint8Array>,
  limits: IngestLimits,
  counts: ByteCounts,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of source) {
    counts.bytesRead += chunk.length;
    if (counts.bytesRead > limits.maxBodyBytes) {
      throw new IngestError('body-too-large', `the body is larger than ${limits.maxBodyBytes} bytes`);
    }
    yield chunk;
  }
}

/** Reads the first two bytes; the returned stream still contains them. */
async function peek(
  source: AsyncIterable<Uint8Array>,
): Promise<{ gzip: boolean; stream: AsyncGenerator<Uint8Array, void> }> {
  const iterator = source[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let first: number[] = [];
  while (first.length < 2) {
    const next = await iterator.next();
    if (next.done === true) break;
    first = [...first, ...next.value.subarray(0, 2)];
    held.push(first.length < 2 ? Uint8Array.from(next.value) : next.value);
  }
  return { gzip: first[0] === 0x1f && first[1] === 0x8b, stream: continued(held, iterator) };
}

async function* continued(
  held: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* held;
    for (;;) {
      const next = await iterator.next();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

async function* copied(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of source) yield Uint8Array.from(chunk);
}

async function* gunzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const unpacker = createGunzip({ chunkSize: 256 * 1024 });
  // The pipeline destroys the unpacker with the source's error, which the loop below then throws. It reads ahead.
  pipeline(Readable.from(copied(source), { objectMode: true, highWaterMark: 1 }), unpacker, () => undefined);
  try {
    for await (const chunk of unpacker) yield chunk as Uint8Array;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'Z_BUF_ERROR') {
      throw new IngestError('truncated', 'the gzip stream is truncated', {}, { cause: error });
    }
    if (code.startsWith('Z_')) {
      throw new IngestError(
        'malformed-gzip',
        'the body is not a gzip stream, or is a corrupt one',
        {},
        { cause: error },
      );
    }
    throw error;
  }
}
