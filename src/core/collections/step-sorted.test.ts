import { describe, expect, it } from '@jest/globals';
import { finish } from './finish.js';
import { stepSorted } from './step-sorted.js';

describe('sorting in short steps', () => {
  it.each([0, 1, 2, 4095, 4096, 4097, 12_289, 50_000])('sorts %i items and keeps the order of equal ones', (count) => {
    let seed = count + 1;
    const items = Array.from({ length: count }, (_, place) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return { key: seed % 100, place };
    });
    const sorted = finish(stepSorted(items, (a, b) => a.key - b.key));
    expect(sorted).toEqual([...items].sort((a, b) => a.key - b.key));
  });

  it('yields in between', () => {
    const items = Array.from({ length: 50_000 }, (_, place) => -place);
    expect([...stepSorted(items, (a, b) => a - b)].length).toBeGreaterThan(30);
  });
});
