import { describe, expect, it } from '@jest/globals';
import { Dice } from '../../../test/support/dice.js';
import { finish } from '../collections/finish.js';
import { parseJson, stringifyJson } from './lossless-json.js';
import { stepPlainJson } from './step-plain-json.js';

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

function anyValue(dice: Dice, depth: number): unknown {
  const kind = dice.below(depth === 0 ? 5 : 7);
  if (kind === 0) return dice.one([null, undefined, true, NaN, -0, 0.5, 1e21, () => 1, Symbol('s')]);
  if (kind === 1) return dice.one([2n ** 62n, 7n, 12_345_678_901]);
  if (kind === 2) return new Date(dice.below(1e6));
  if (kind < 5) return dice.one(['', 'plain', '"quoted"\n', 'ä'.repeat(dice.below(3000))]);
  const parts = times(dice.below(30), () => anyValue(dice, depth - 1));
  if (kind === 5) return parts;
  return Object.fromEntries(parts.map((part, index) => [dice.one([`k${index}`, `${index}`, 'ä']), part]));
}

describe('a value as its JSON is read', () => {
  it.each(times(30, (seed) => seed))('is the same when it is made in steps (seed %i)', (seed) => {
    const dice = new Dice(seed + 1);
    const value = { first: anyValue(dice, 4), long: times(50, () => anyValue(dice, 3)) };
    const made = finish(stepPlainJson(value));
    expect(stringifyJson(made)).toBe(stringifyJson(parseJson(stringifyJson(value))));
    expect(made).toEqual(parseJson(stringifyJson(value)));
  });

  it('pauses between the parts of a long one', () => {
    const list = times(2000, (index) => ({ name: `pod-${index}`, labels: { app: 'x'.repeat(30) } }));
    expect([...stepPlainJson({ list })].length).toBeGreaterThan(2000);
  });
});
