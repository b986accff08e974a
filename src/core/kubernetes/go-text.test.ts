import { describe, expect, it } from '@jest/globals';
import { jsonGo, quoteGo } from './go-text.js';

describe('quoteGo', () => {
  it.each([
    ['plain', '"plain"'],
    ['é 日本 ☃', '"é 日本 ☃"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['\x07\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['\0\x1b\x7f', '"\\x00\\x1b\\x7f"'],
    ['\u00a0\u200b', '"\\u00a0\\u200b"'],
    ['<&>', '"<&>"'],
    ['🙂\u{e0001}', '"🙂\\U000e0001"'],
  ])('writes %j as Go does', (text, want) => {
    expect(quoteGo(text)).toBe(want);
  });
});

describe('jsonGo', () => {
  it('escapes what HTML minds', () => {
    expect(jsonGo(['<a>', 'b&"c"'])).toBe('["\\u003ca\\u003e","b\\u0026\\"c\\""]');
  });
});
