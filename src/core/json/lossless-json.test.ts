import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { finish } from '../collections/finish.js';
import { JsonSyntaxError, parseJson, parseJsonQuickly, stepJson, stringifyJson } from './lossless-json.js';

const failure = (text: string, options?: Parameters<typeof parseJson>[1]): JsonSyntaxError => {
  try {
    parseJson(text, options);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error(`accepted ${text.slice(0, 40)}`);
};

describe('parseJson', () => {
  it.each([
    ['the greatest int64', '9223372036854775807', 9223372036854775807n],
    ['the least int64', '-9223372036854775808', -9223372036854775808n],
    ['the last safe integer', '9007199254740991', 9007199254740991],
    ['the first unsafe integer', '9007199254740992', 9007199254740992n],
    ['a number with a fraction', '1234567890123456.5', 1234567890123456.5],
    ['a number with an exponent', '12345678901234567890e1', 123456789012345678901],
    ['sixteen digits in a string', '"1234567890123456789"', '1234567890123456789'],
    ['a digest in a string', '{"a":"x@sha256:1234567890123456789"}', { a: 'x@sha256:1234567890123456789' }],
    ['a long integer after white space', '{"a" :\n 9223372036854775807}', { a: 9223372036854775807n }],
    ['a long negative integer in a list', '[ -9223372036854775808]', [-9223372036854775808n]],
    ['a long integer deep in an object', '{"a":[{"b":9223372036854775807}]}', { a: [{ b: 9223372036854775807n }] }],
    ['escapes next to a long integer', '["\\u0041\\n\\"\\\\", 9223372036854775807]', ['A\n"\\', 9223372036854775807n]],
    ['white space of every kind', ' \t\r\n[ 1 , 12345678901234567 ] \n', [1, 12345678901234567n]],
    ['the words', '[true,false,null,12345678901234567]', [true, false, null, 12345678901234567n]],
    ['empty containers', '[{},[],12345678901234567]', [{}, [], 12345678901234567n]],
  ])('reads %s', (_name, text, want) => {
    expect(parseJson(text)).toEqual(want);
  });

  it.each([
    ['short numbers', '1'],
    ['long numbers', '12345678901234567'],
  ])('turns a key __proto__ into an own property next to %s', (_name, number) => {
    const value = parseJson(`{"__proto__":{"x":1},"constructor":2,"n":${number}}`) as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'n']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('x' in value).toBe(false);
  });

  it.each([
    ['an empty text', '', 0, 1, 1],
    ['a missing value', '{"a":}', 5, 1, 6],
    ['a trailing comma', '[1,\n2,\n]', 7, 3, 1],
    ['text after the value', '{} x', 3, 1, 4],
    ['a leading zero', '[01]', 2, 1, 3],
    ['a leading zero of a long number', '[012345678901234567]', 2, 1, 3],
    ['a bare word', 'nul', 0, 1, 1],
    ['a control character in a string', '["a\nb"]', 3, 1, 4],
    ['a bad escape', '["\\x"]', 2, 1, 3],
    ['a string without an end', '["abc', 1, 1, 2],
    ['a key without quotes', '{\n a:1}', 3, 2, 2],
    ['a plus sign', '+1', 0, 1, 1],
    ['a newline as the first character, then nonsense', '\n?', 1, 2, 1],
  ])('refuses %s and says where', (_name, text, offset, line, column) => {
    expect(() => JSON.parse(text) as unknown).toThrow();
    expect(failure(text)).toMatchObject({ offset, line, column });
  });

  it.each([
    ['arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['arrays that are never closed', '['.repeat(100_000)],
    ['objects', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
    ['objects that hold a long number', '{"a":'.repeat(100_000) + '12345678901234567' + '}'.repeat(100_000)],
  ])('refuses a hundred thousand nested %s without overflowing the stack', (_name, text) => {
    expect(failure(text).message).toMatch(/^nested deeper than 1000 levels at line 1, column /);
    expect(failure(text, { maxDepth: Infinity }).message).toMatch(/^nested deeper than 2000 levels/);
  });

  it('finds a long integer wherever it begins and whatever other digits come before it', () => {
    for (let offset = 0; offset < 40; offset++) {
      const filled = '7'.repeat(offset);
      expect(parseJson(`["${filled}",9007199254740993]`)).toEqual([filled, 9007199254740993n]);
      expect(parseJson(`["${'x'.repeat(offset)}",9007199254740993,1]`)).toEqual([
        'x'.repeat(offset),
        9007199254740993n,
        1,
      ]);
    }
  });

  it('counts no levels of a source that limits them itself, and refuses more than it can read', () => {
    const deep = (levels: number, value: string): string => '['.repeat(levels) + value + ']'.repeat(levels);
    expect(failure(deep(1500, '1')).message).toMatch(/^nested deeper than 1000 levels/);
    expect(parseJson(deep(1500, '1'), { isTrusted: true })).toEqual(JSON.parse(deep(1500, '1')));
    expect(failure(deep(2500, '12345678901234567'), { isTrusted: true, maxDepth: 2000 }).message).toMatch(
      /^nested deeper than 2000 levels/,
    );
  });

  it('counts nesting levels, ignoring brackets inside strings', () => {
    expect(parseJson('[[[1]]]', { maxDepth: 3 })).toEqual([[[1]]]);
    expect(failure('[[[[1]]]]', { maxDepth: 3 }).offset).toBe(3);
    expect(parseJson('["[[[[\\"[[[[\\\\",1]', { maxDepth: 1 })).toEqual(['[[[["[[[[\\', 1]);
  });

  it('keeps the last of two duplicate keys, or refuses them if told to', () => {
    expect(parseJson('{"a":1,"b":2,"a":3}')).toEqual({ a: 3, b: 2 });
    const error = failure('{"a":1,"b":{"a":1,"\\u0061":2}}', { duplicateKeys: 'reject' });
    expect(error).toMatchObject({ reason: 'key "a" is duplicated', offset: 18 });
    expect(failure('{"__proto__":1,"__proto__":2}', { duplicateKeys: 'reject' }).offset).toBe(15);
    expect(parseJson('{"a":{"a":1},"toString":1}', { duplicateKeys: 'reject' })).toEqual({ a: { a: 1 }, toString: 1 });
  });
});

/** JSON texts, some of them with equal keys, which may be written differently, and some that are not JSON. */
const someText = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(
      '1',
      '-0',
      '1e5',
      '12345678901234567',
      `0.${'1'.repeat(400)}`,
      'null',
      'true',
      '":{"',
      '"\\\\"',
      '"\\":"',
      '1 :',
      '',
    ),
    tie('object'),
    tie('array'),
  ),
  object: fc
    .array(fc.tuple(fc.constantFrom('a', 'b', '\\u0061', '__proto__', ':', '1'), tie('value')), { maxLength: 4 })
    .map((members) => `{ ${members.map(([key, value]) => `"${key}" :${value}`).join(' ,')}}`),
  array: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
})).value;

describe('a text that is read quickly', () => {
  it('gives what the reader gives, or is left to it', () => {
    let quickly = 0;
    const check = (text: string, duplicateKeys: 'last' | 'reject'): void => {
      const quick = parseJsonQuickly(text, { duplicateKeys, maxDepth: 4 });
      if (quick === undefined) return;
      quickly += 1;
      expect([text, finish(stepJson(text, { duplicateKeys, maxDepth: 4 }))]).toEqual([text, quick]);
    };
    fc.assert(fc.property(someText, fc.constantFrom('last', 'reject'), check), { numRuns: 3000 });
    expect(quickly).toBeGreaterThan(300);
  });

  it.each([
    ['keys', '{"a":1,"b":2,"c":3}', 4],
    ['objects and arrays', '[[],[],{}]', 4],
    ['both', '[{"a":1},{"b":":"}]', 5],
  ])('has at most so many parts: %s', (_, text, parts) => {
    expect(parseJsonQuickly(text, { mostParts: parts })).toEqual(JSON.parse(text));
    expect(parseJsonQuickly(text, { mostParts: parts - 1 })).toBeUndefined();
  });
});

describe('stringifyJson', () => {
  it.each([
    ['a bigint bare', { seconds: 9223372036854775807n }, '{"seconds":9223372036854775807}'],
    ['members that are undefined not at all', { a: undefined, b: 1n }, '{"b":1}'],
    ['an undefined item as null', [undefined, 1n], '[null,1]'],
    ['undefined as null', undefined, 'null'],
    ['a time next to a bigint', { at: new Date(0), b: 1n }, '{"at":"1970-01-01T00:00:00.000Z","b":1}'],
    ['keys in their own order', { b: 1n, a: 2 }, '{"b":1,"a":2}'],
    ['strings that need escapes', ['"\\\n\ud800é', 1n], '["\\"\\\\\\n\\ud800é",1]'],
  ])('writes %s', (_name, value, want) => {
    expect(stringifyJson(value)).toBe(want);
  });

  it('writes equal values identically if keys are sorted', () => {
    const value = parseJson('{"b":{"y":1,"x":12345678901234567},"__proto__":2,"a":[{"d":1,"c":null}]}');
    expect(stringifyJson(value, { sortKeys: true })).toBe(
      '{"__proto__":2,"a":[{"c":null,"d":1}],"b":{"x":12345678901234567,"y":1}}',
    );
  });
});
