import { expect, test } from '@jest/globals';
import { ShardedMap } from './sharded-map.js';
import { Dice } from '../../../test/support/dice.js';

/** Keys of which many share a shard, and few enough that most are changed more than once. */
const KEYS = Array.from({ length: 600 }, (_, index) => `namespace/pod-${index}`);

const sorted = <Entry>(entries: Iterable<Entry>): Entry[] => [...entries].sort();

function expectEqual(map: ShardedMap<number>, expected: ReadonlyMap<string, number>): void {
  expect(map.size).toBe(expected.size);
  expect(sorted(map.entries())).toEqual(sorted(expected.entries()));
  expect(sorted(map.keys())).toEqual(sorted(expected.keys()));
  expect(sorted(map.values())).toEqual(sorted(expected.values()));
  expect(KEYS.filter((key) => map.get(key) !== expected.get(key))).toEqual([]);
}

test.each([1, 2, 3, 4])(
  'each map has what was set and not deleted, whatever is changed of its copies (seed %i)',
  (seed) => {
    const dice = new Dice(seed);
    const versions: { readonly map: ShardedMap<number>; readonly expected: ReadonlyMap<string, number> }[] = [
      { map: ShardedMap.empty(), expected: new Map() },
    ];
    const wrong: string[] = [];
    for (let round = 0; round < 40; round++) {
      const from = dice.one(versions);
      const edit = from.map.edit();
      const expected = new Map(from.expected);
      // Few changes stay beside the shards, many do not.
      const changes = round % 5 === 0 ? 400 : 1 + dice.below(60);
      for (let change = 0; change < changes; change++) {
        const key = dice.one(KEYS);
        expect(edit.get(key)).toBe(expected.get(key));
        if (dice.chance(40)) {
          expect(edit.delete(key)).toBe(expected.delete(key));
        } else {
          edit.set(key, round * 1000 + change);
          expected.set(key, round * 1000 + change);
        }
      }
      versions.push({ map: edit.finish(), expected });
    }
    expect(wrong).toEqual([]);
    for (const { map, expected } of versions) expectEqual(map, expected);
  },
);
