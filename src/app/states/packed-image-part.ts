import { promisify } from 'node:util';
import { crc32, deflate, inflate, inflateSync } from 'node:zlib';
import type { ImagePart } from '../../core/cluster/state-image.js';

const deflated = promisify(deflate);
const inflated = promisify(inflate);

const WORD = Int32Array.BYTES_PER_ELEMENT;
const OPTIONS = { level: 1 };

/**
 * A part of an image in bytes: the length of what comes before the objects, and the checksum of the objects; the numbers and the two texts,
 * compressed, with the length of each; the objects, compressed.
 */
export async function packPart({ shared, objects, own, numbers }: ImagePart): Promise<Buffer> {
  const counts = Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  const content = [counts, Buffer.from(shared), Buffer.from(own)];
  const first = await deflated(Buffer.concat([words(content.map(({ length }) => length)), ...content]), OPTIONS);
  const text = objects();
  const second = text === '' ? Buffer.alloc(0) : await deflated(text, OPTIONS);
  return Buffer.concat([words([first.length, crc32(second)]), first, second]);
}

/**
 * The objects stay compressed until they are read.
 * @throws {Error} if the bytes are not those of a part
 */
export async function unpackPart(packed: Uint8Array): Promise<ImagePart> {
  const [end = 0, checksum] = wordsOf(packed, 0, HEAD);
  const bytes = await inflated(packed.subarray(HEAD * WORD, HEAD * WORD + end));
  const start = LENGTHS * WORD;
  const [numbers, shared, own] = wordsOf(bytes, 0, LENGTHS);
  const texts = start + numbers!;
  if (texts + shared! + own! !== bytes.length) throw new RangeError('the part does not have the length that it says');
  // Not a part of what was read from the database, which is longer.
  const objects = packed.slice(HEAD * WORD + end);
  if (crc32(objects) !== checksum! >>> 0) throw new RangeError('the objects of the part do not have its checksum');
  return {
    numbers: wordsOf(bytes, start, numbers! / WORD),
    shared: bytes.toString('utf8', texts, texts + shared!),
    own: bytes.toString('utf8', texts + shared!),
    objects: () => (objects.length === 0 ? '' : inflateSync(objects).toString('utf8')),
  };
}

const HEAD = 2;
/** Before the numbers and the two texts: how many bytes each has. */
const LENGTHS = 3;

const words = (values: readonly number[]): Buffer => Buffer.from(Int32Array.from(values).buffer);

/** At the beginning of a buffer of their own, as an array of numbers has to be. */
const wordsOf = (bytes: Uint8Array, start: number, count: number): Int32Array =>
  new Int32Array(Uint8Array.from(bytes.subarray(start, start + count * WORD)).buffer);
