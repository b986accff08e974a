import { describe, expect, it } from '@jest/globals';
import type { ImagePart } from '../../core/cluster/state-image.js';
import { packPart, unpackPart } from './packed-image-part.js';

const partOf = (...texts: readonly string[]): ImagePart => ({
  shared: '"é"',
  numbers: Int32Array.from([-1, 2, 3]),
  texts: texts.map((text) => ({ bytes: text.length, read: () => text })),
});
const readOf = (part: ImagePart): unknown => ({ ...part, texts: part.texts.map((text) => text.read()) });

const PART = partOf('["p"]', '', '{"kind":"Namespace","metadata":{"name":"é"}}', 'x'.repeat(10_000));

describe('a packed part of an image', () => {
  it.each([
    ['with texts', PART],
    ['with empty texts', partOf('', '')],
    ['without texts', partOf()],
  ])('is the same again: %s', async (_, part) => {
    expect(readOf(await unpackPart(await packPart(part)))).toEqual(readOf(part));
  });

  it('keeps its texts compressed until they are read, and says how many bytes each takes', async () => {
    const { texts } = await unpackPart(await packPart(PART));
    expect(texts[1]!.bytes).toBe(0);
    expect(texts[3]!.bytes).toBeLessThan(1_000);
  });

  it('is refused when it is unpacked if any of its bytes is damaged, also of texts that are not read', async () => {
    const packed = await packPart(PART);
    for (let at = 0; at < packed.length; at++) {
      const damaged = Buffer.from(packed);
      damaged[at]! ^= 1;
      await expect(unpackPart(damaged)).rejects.toThrow();
    }
    await expect(unpackPart(packed.subarray(0, -1))).rejects.toThrow();
  });
});
