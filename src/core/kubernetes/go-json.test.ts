import { describe, expect, it } from '@jest/globals';
import { parseGoJson } from './go-json.js';

describe('parseGoJson', () => {
  it('keeps the notation of numbers and duplicate members', () => {
    expect(parseGoJson(' {"a": [1.50, -0, 1e3], "a": "\\u0041\\n", "b": null, "c": true} ')).toEqual({
      type: 'object',
      members: [
        ['a', { type: 'array', items: ['1.50', '-0', '1e3'].map((text) => ({ type: 'number', text })) }],
        ['a', { type: 'string', value: 'A\n' }],
        ['b', { type: 'null' }],
        ['c', { type: 'bool', value: true }],
      ],
    });
  });

  it.each([
    ['', 'unexpected end of JSON input'],
    ['  ', 'unexpected end of JSON input'],
    ['{oops', "invalid character 'o' looking for beginning of object key string"],
    ['nope', "invalid character 'o' in literal null (expecting 'u')"],
    ['tru', "invalid character ' ' in literal true (expecting 'e')"],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[01]', "invalid character '1' after array element"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"', "invalid character '\"' after object key:value pair"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a"', 'unexpected end of JSON input'],
    ['[] x', "invalid character 'x' after top-level value"],
    ['-', "invalid character ' ' in numeric literal"],
    ['1.', "invalid character ' ' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['"a', 'unexpected end of JSON input'],
    ['"a\n"', String.raw`invalid character '\n' in string literal`],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u00g0"', String.raw`invalid character 'g' in \u hexadecimal character escape`],
    ["'a'", String.raw`invalid character '\'' looking for beginning of value`],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    ['['.repeat(2000), 'exceeded max depth'],
  ])('reports the message of Go for %j', (text, message) => {
    expect(() => parseGoJson(text)).toThrow(message);
  });
});
