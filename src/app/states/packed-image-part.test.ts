import { describe, expect, it } from '@jest/globals';
import { packPart, unpackPart } from './packed-image-part.js';

const PART = {
  shared: '["Namespace","/é"]',
  own: '["p"]',
  numbers: Int32Array.from([-1, 2, 3]),
  objects: () => '{"kind":"Namespace","metadata":{"name":"é"}}',
};

describe('a packed part of an image', () => {
  it.each([
    ['with objects', PART],
    ['without objects', { ...PART, objects: () => '' }],
  ])('is the same again: %s', async (_, part) => {
    const { objects, ...rest } = await unpackPart(await packPart(part));
    expect({ ...rest, objects: objects() }).toEqual({ ...part, objects: part.objects() });
  });

  it('is refused when it is unpacked if any of its bytes is damaged, also of objects that are not read', async () => {
    const packed = await packPart(PART);
    for (let at = 0; at < packed.length; at++) {
      const damaged = Buffer.from(packed);
      damaged[at]! ^= 1;
      await expect(unpackPart(damaged)).rejects.toThrow();
    }
    await expect(unpackPart(packed.subarray(0, -1))).rejects.toThrow();
  });
});
