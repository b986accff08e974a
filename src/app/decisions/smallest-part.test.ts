import { describe, expect, it } from '@jest/globals';
import { smallestPart } from './smallest-part.js';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('the smallest part that suffices', () => {
  it.each([
    [1, [0]],
    [2, [1]],
    [7, [0, 6]],
    [100, [42]],
    [100, [3, 50, 51, 97]],
    [64, upTo(64)],
    [1000, [0, 999]],
  ])('of %d items is %j', async (count, needed) => {
    const suffices = (part: readonly number[]): Promise<boolean> =>
      Promise.resolve(needed.every((item) => part.includes(item)));
    expect(await smallestPart(upTo(count), suffices, () => true)).toEqual({ part: needed, isSmallest: true });
  });

  it('is one of several, without an item that can be left out', async () => {
    const suffices = (part: readonly number[]): Promise<boolean> =>
      Promise.resolve(part.reduce((sum, item) => sum + item, 0) >= 20);
    const { part } = await smallestPart(upTo(10), suffices, () => true);
    expect(await suffices(part)).toBe(true);
    for (const left of part) expect(await suffices(part.filter((item) => item !== left))).toBe(false);
  });

  it('is as small as was found when it has to stop', async () => {
    let tried = 0;
    const suffices = (part: readonly number[]): Promise<boolean> => Promise.resolve(part.includes(90));
    const found = await smallestPart(upTo(100), suffices, () => tried++ < 4);
    expect(found).toEqual({ part: expect.arrayContaining([90]), isSmallest: false });
    expect(found.part.length).toBeLessThan(100);
  });
});
