import { describe, expect, it } from '@jest/globals';
import { jsonDifferences } from './json-differences.js';

describe('jsonDifferences', () => {
  it.each<[string, unknown, unknown, unknown[]]>([
    ['finds nothing between equal values', { a: [1, { b: 'x' }] }, { a: [1, { b: 'x' }] }, []],
    ['takes a number and the same bigint for equal', { a: 1 }, { a: 1n }, []],
    ['takes an undefined member for an absent one', { a: undefined }, {}, []],
    ['names an added member', {}, { a: { b: 1 } }, [{ pointer: '/a', before: undefined, after: { b: 1 } }]],
    ['names a removed member', { a: 1 }, {}, [{ pointer: '/a', before: 1, after: undefined }]],
    [
      'descends to the smallest place',
      { a: { b: 1, c: 2 } },
      { a: { b: 1, c: 3 } },
      [{ pointer: '/a/c', before: 2, after: 3 }],
    ],
    ['names what was appended to a list', [1], [1, 2], [{ pointer: '/1', before: undefined, after: 2 }]],
    ['replaces a list of another length whole', [1, 2], [2], [{ pointer: '', before: [1, 2], after: [2] }]],
    ['escapes slashes and tildes', {}, { 'a/b~c': 1 }, [{ pointer: '/a~1b~0c', before: undefined, after: 1 }]],
    [
      'reads prototype names as plain members',
      {},
      JSON.parse('{"__proto__": 1}'),
      [{ pointer: '/__proto__', before: undefined, after: 1 }],
    ],
  ])('%s', (_, before, after, differences) => {
    expect(jsonDifferences(before, after)).toEqual(differences);
  });

  it('visits nested lists once, at any depth', () => {
    const nested = (depth: number, seed: unknown): unknown => (depth === 0 ? seed : [nested(depth - 1, seed)]);
    expect(jsonDifferences(nested(100, 1), nested(100, 2))).toEqual([
      { pointer: '/0'.repeat(100), before: 1, after: 2 },
    ]);
    expect(jsonDifferences([nested(100, 1)], [nested(100, 1), 'more'])).toEqual([
      { pointer: '/1', before: undefined, after: 'more' },
    ]);
  });
});
