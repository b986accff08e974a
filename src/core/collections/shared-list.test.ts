import { describe, expect, it } from '@jest/globals';
import { SharedList } from './shared-list.js';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

describe('SharedList', () => {
  it.each([0, 1, 127, 128, 129, 1000])('has all of %i items, each at its place', (count) => {
    const list = SharedList.of(numbers(count));
    expect(list.length).toBe(count);
    expect(list.all()).toEqual(numbers(count));
    expect(numbers(count).map((index) => list.at(index))).toEqual(numbers(count));
    for (const outside of [-1, count, count + 128]) expect(list.at(outside)).toBeUndefined();
  });

  it('stays as it is when a copy has other items', () => {
    const list = SharedList.of(numbers(300));
    const changes = new Map([
      [0, -1],
      [1, -2],
      [127, -3],
      [128, -4],
      [299, -5],
    ]);
    const copy = list.with(changes);
    const again = copy.with(new Map([[1, -6]]));
    expect(copy.length).toBe(300);
    expect(copy.all()).toEqual(numbers(300).map((index) => changes.get(index) ?? index));
    expect([again.at(0), again.at(1), copy.at(1), list.at(1)]).toEqual([-1, -6, -2, 1]);
    expect(list.all()).toEqual(numbers(300));
  });
});
