import { describe, expect, it } from '@jest/globals';
import { floatGo, jsonGo, mapGo, quoteGo, timeGo } from './go-text.js';

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
  it('escapes the characters that are special in HTML', () => {
    expect(jsonGo(['<a>', 'b&"c"'])).toBe('["\\u003ca\\u003e","b\\u0026\\"c\\""]');
  });
});

describe('timeGo', () => {
  it.each([
    ['2026-01-01T00:00:00Z', '"2026-01-01T00:00:00Z"'],
    ['2026-01-01T00:30:00.75+01:00', '"2025-12-31T23:30:00Z"'],
    ['2026-02-28T23:30:00-00:45', '"2026-03-01T00:15:00Z"'],
    ['0099-06-01T00:00:00Z', '"0099-06-01T00:00:00Z"'],
    ['0001-01-01T00:00:00Z', 'null'],
  ])('writes %s in UTC and whole seconds', (text, want) => {
    expect(timeGo(text)).toBe(want);
  });
});

describe('mapGo', () => {
  it('sorts keys in byte order, including numeric ones', () => {
    expect(mapGo({ b: '<', '9': '', '10': 'x' })).toBe('{"10":"x","9":"","b":"\\u003c"}');
  });
});

describe('floatGo', () => {
  it.each([
    [4, '4.000000'],
    [0, '0.000000'],
    [-4 / 3, '-1.333333'],
    [1 / 128, '0.007812'],
    [3 / 128, '0.023438'],
    [1e22, '10000000000000000000000.000000'],
    [Infinity, '+Inf'],
    [NaN, 'NaN'],
  ])('writes %d with six decimals, a half to the even side', (value, want) => {
    expect(floatGo(value)).toBe(want);
  });
});
