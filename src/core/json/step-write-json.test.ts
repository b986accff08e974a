import { describe, expect, it } from '@jest/globals';
import { Dice } from '../../../test/support/dice.js';
import { JsonLength, isLongerThan } from './json-length.js';
import { stringifyJson, type StringifyJsonOptions } from './lossless-json.js';
import { stepWriteJson } from './step-write-json.js';

function piecesOf(
  value: unknown,
  options?: StringifyJsonOptions,
): { readonly pieces: readonly string[]; readonly steps: number } {
  const pieces: string[] = [];
  const pauses = [...stepWriteJson(value, (piece) => pieces.push(piece), options)];
  return { pieces, steps: 1 + pauses.length };
}

const many = <Item>(count: number, make: (place: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));

function anyValue(dice: Dice, depth: number): unknown {
  const below = (): unknown => anyValue(dice, depth - 1);
  const kind = dice.below(depth === 0 ? 9 : 12);
  if (kind < 9) {
    const text = dice.one(['', 'plain', '"quoted"', 'line\nend', '\ud800', 'ä'.repeat(dice.below(400))]);
    return [text, text, dice.below(1000), -0.5, NaN, true, null, undefined, 2n ** 62n][kind];
  }
  if (kind === 9) return dice.one([new Date(0), () => 1, Symbol('s'), { toJSON: () => ['own'] }]);
  if (kind === 10) return many(dice.below(40), below);
  return Object.fromEntries(
    many(dice.below(40), (at) => [dice.one([`k${at}`, `${at}`, `"${at}`, '__proto__']), below()]),
  );
}

describe('stepWriteJson', () => {
  it.each(many(20, (seed) => seed))('writes what stringifyJson writes (seed %i)', (seed) => {
    const value = { value: anyValue(new Dice(seed + 1), 4), big: many(40, () => anyValue(new Dice(seed + 50), 2)) };
    expect(piecesOf(value).pieces.join('')).toBe(stringifyJson(value));
    const sorted = { sortKeys: true };
    expect(piecesOf(value, sorted).pieces.join('')).toBe(stringifyJson(value, sorted));
  });

  it.each([undefined, null, 'text', 7n, [], {}, [undefined], { a: undefined }, new Date(5)])('writes %p', (value) => {
    expect(piecesOf(value)).toEqual({ pieces: [stringifyJson(value)], steps: 1 });
  });

  it('writes long values in short pieces, wherever they are long', () => {
    const names = many(40_000, (at) => `name-${at}`);
    const objects = many(4000, (at) => ({ name: `name-${at}`, labels: { a: 'b'.repeat(50) } }));
    for (const value of [names, objects, { a: { b: [{ names }] } }, [[objects]], Object.fromEntries(names.entries())]) {
      const { pieces, steps } = piecesOf(value);
      expect(pieces.join('')).toBe(stringifyJson(value));
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(80 * 1024);
      expect(steps).toBeGreaterThanOrEqual(pieces.length);
    }
  });
});

describe('JsonLength', () => {
  it('finds out whether JSON is longer, in as many visits as the caller wants', () => {
    const value = {
      items: many(500, (at) => ({ name: `name-${at}`, at: new Date(at), nodes: ['a', 'b'], none: null })),
    };
    const { length } = stringifyJson(value);
    expect(isLongerThan(value, length * 1.2)).toBe(false);
    expect(isLongerThan(value, length * 0.8)).toBe(true);
    const walk = new JsonLength(value, length * 1.2);
    let visits = 1;
    while (!walk.visit(10)) visits++;
    expect(walk.isLonger).toBe(false);
    expect(visits).toBeGreaterThan(50);
    expect(new JsonLength(value, 1, () => 2).visit(1)).toBe(true);
  });
});
