import { promisify } from 'node:util';
import { deflate, inflate } from 'node:zlib';
import type { ImagePart } from '../../core/cluster/state-image.js';

const deflated = promisify(deflate);
const inflated = promisify(inflate);

/** Before the numbers and the two texts: how many bytes each has. */
const LENGTHS = 3;
const WORD = Int32Array.BYTES_PER_ELEMENT;

/** A part of an image in bytes, compressed and with a checksum. */
export async function packPart({ shared, own, numbers }: ImagePart): Promise<Buffer> {
  const counts = Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  const content = [counts, Buffer.from(shared), Buffer.from(own)];
  const lengths = Buffer.from(Int32Array.from(content, ({ length }) => length).buffer);
  return deflated(Buffer.concat([lengths, ...content]), { level: 1 });
}

/** @throws {Error} if the bytes are not those of a part */
export async function unpackPart(packed: Uint8Array): Promise<ImagePart> {
  const bytes = await inflated(packed);
  const [numbers, shared, own] = new Int32Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + LENGTHS * WORD),
  );
  const start = LENGTHS * WORD;
  const texts = start + numbers!;
  if (texts + shared! + own! !== bytes.length) throw new RangeError('the part does not have the length that it says');
  return {
    // At the beginning of a buffer, as an array of numbers has to be.
    numbers: new Int32Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + texts)),
    shared: bytes.toString('utf8', texts, texts + shared!),
    own: bytes.toString('utf8', texts + shared!),
  };
}
