import { promisify } from 'node:util';
import { crc32, deflate, inflate, inflateSync } from 'node:zlib';
import type { ImagePart } from '../../core/cluster/state-image.js';
import type { PackedText } from '../../core/cluster/unread-text.js';

const deflated = promisify(deflate);
const inflated = promisify(inflate);

const WORD = Int32Array.BYTES_PER_ELEMENT;
const OPTIONS = { level: 1 };

/**
 * A part of an image in bytes: the length of what comes before its texts, and the checksum of these; the length of its numbers, and of each
 * text its characters, bytes and compressed bytes, with the numbers and the shared lines, all compressed; each text, compressed.
 */
export async function packPart({ shared, texts, numbers }: ImagePart): Promise<Buffer> {
  const packed = await Promise.all(texts.map((text) => packText(text.read())));
  const counts = Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  const lengths = words([packed.length, counts.length, ...packed.flatMap((text) => text.lengths)]);
  const first = await deflated(Buffer.concat([lengths, counts, Buffer.from(shared)]), OPTIONS);
  const second = Buffer.concat(packed.map(({ bytes }) => bytes));
  return Buffer.concat([words([first.length, crc32(second)]), first, second]);
}

/**
 * The texts stay compressed until they are read.
 * @throws {Error} if the bytes are not those of a part
 */
export async function unpackPart(packed: Uint8Array): Promise<ImagePart> {
  const [end = 0, checksum] = wordsOf(packed, 0, HEAD);
  const bytes = await inflated(packed.subarray(HEAD * WORD, HEAD * WORD + end));
  const second = packed.subarray(HEAD * WORD + end);
  if (crc32(second) !== checksum! >>> 0) throw new RangeError('the texts of the part do not have their checksum');
  const [count, length] = wordsOf(bytes, 0, 2);
  const lengths = wordsOf(bytes, 2 * WORD, LENGTHS * count!);
  const start = (2 + LENGTHS * count!) * WORD;
  let from = 0;
  const texts = Array.from({ length: count! }, (_, index): PackedText => {
    const [characters, size, compressed] = lengths.subarray(index * LENGTHS, (index + 1) * LENGTHS);
    // Not a part of what was read from the database, which is longer.
    const own = Uint8Array.from(second.subarray(from, (from += compressed!)));
    return { bytes: own.length, read: () => unpackText(own, size!, characters === size) };
  });
  return {
    numbers: wordsOf(bytes, start, length! / WORD),
    shared: bytes.toString('utf8', start + length!),
    texts,
  };
}

interface PackedBytes {
  readonly lengths: readonly number[];
  readonly bytes: Buffer;
}

async function packText(text: string): Promise<PackedBytes> {
  if (text === '') return { lengths: [0, 0, 0], bytes: Buffer.alloc(0) };
  const plain = Buffer.from(text);
  const bytes = await deflated(plain, OPTIONS);
  return { lengths: [text.length, plain.length, bytes.length], bytes };
}

/** @param isAscii of that, a character is a byte */
function unpackText(bytes: Uint8Array, size: number, isAscii: boolean): string {
  if (size === 0) return '';
  // One piece more than there is, or another would be made to see that there is none.
  return inflateSync(bytes, { chunkSize: Math.max(size + 1, LEAST_CHUNK) }).toString(isAscii ? 'latin1' : 'utf8');
}

/** zlib takes none smaller. */
const LEAST_CHUNK = 64;

const HEAD = 2;
/** Of a text: its characters, bytes and compressed bytes. */
const LENGTHS = 3;

const words = (values: readonly number[]): Buffer => Buffer.from(Int32Array.from(values).buffer);

/** At the beginning of a buffer of their own, as an array of numbers has to be. */
const wordsOf = (bytes: Uint8Array, start: number, count: number): Int32Array =>
  new Int32Array(Uint8Array.from(bytes.subarray(start, start + count * WORD)).buffer);
