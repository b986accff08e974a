import { describe, expect, it } from '@jest/globals';
import { parseYaml } from './parse-yaml.js';

const parse = (text: string, duplicateKeys: 'last' | 'reject' = 'last'): unknown =>
  parseYaml(text, { limits: { maxDepth: 200, maxAliasedNodes: 1000 }, place: { line: 1 }, duplicateKeys });

describe('YAML as kubectl reads it', () => {
  it.each<[string, unknown]>([
    ['yes', true],
    ['On', true],
    ['y', true],
    ['NO', false],
    ['off', false],
    ['true', true],
    ['"yes"', 'yes'],
    ["'on'", 'on'],
    ['~', null],
    ['', null],
    ['Null', null],
    ['nULL', 'nULL'],
    ['12', 12],
    ['+12', 12],
    ['-12', -12],
    ['1_000', 1000],
    ['0777', 511],
    ['0o777', 511],
    ['0x1F', 31],
    ['0b11', 3],
    ['-0b11', -3],
    ['089', 89],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['18446744073709551615', 18446744073709551615n],
    ['18446744073709551616', 18446744073709552000],
    ['1e3', 1000],
    ['1.5', 1.5],
    ['.5', 0.5],
    ['1.', 1],
    ['1e999', '1e999'],
    ['100m', '100m'],
    ['1.2.3', '1.2.3'],
    ['12:30:45', '12:30:45'],
    ['2026-06-26T10:12:19Z', '2026-06-26T10:12:19Z'],
    ['2026-06-26', '2026-06-26'],
    ['!!str 12', '12'],
    ['!!int "12"', 12],
    ['!!binary aGk=', 'hi'],
    ['v1', 'v1'],
    ['=', '='],
    ['|\n  a\n  b\n', 'a\nb\n'],
    ['>-\n  a\n  b\n', 'a b'],
  ])('reads %j', (text, want) => {
    expect(parse(`a: ${text}`)).toEqual({ a: want });
  });

  it('turns keys that are not strings into text', () => {
    expect(parse('1: a\nyes: b\n1.50: c\n"2": d\n')).toEqual({ 1: 'a', true: 'b', '1.5': 'c', 2: 'd' });
  });

  it('uses the last of two equal keys, or rejects them if configured to', () => {
    expect(parse('a: 1\na: 2\n')).toEqual({ a: 2 });
    expect(() => parse('a: 1\na: 2\n', 'reject')).toThrow('duplicated');
  });

  it('resolves an alias to the nearest anchor before it', () => {
    expect(parse('a: &x 1\nb: *x\nc: &x 2\nd: *x\n')).toEqual({ a: 1, b: 1, c: 2, d: 2 });
  });

  it('merges at the position of the merge key; of several maps, the first takes precedence', () => {
    expect(parse('x: &x {a: 1, b: 1}\ny: &y {b: 2, c: 2}\nz:\n  <<: [*x, *y]\n  c: 3\n')).toMatchObject({
      z: { a: 1, b: 1, c: 3 },
    });
  });
});
