import { describe, expect, it } from '@jest/globals';
import { parseInt64 } from './parse-int64.js';

describe('parseInt64', () => {
  it.each([
    ['0', 0n],
    ['-0', 0n],
    ['+007', 7n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    [`${'0'.repeat(40)}1`, 1n],
  ])('reads %s', (text, value) => {
    expect(parseInt64(text)).toEqual({ value });
  });

  it.each([
    ['', 'invalid syntax'],
    ['+', 'invalid syntax'],
    ['--1', 'invalid syntax'],
    [' 1', 'invalid syntax'],
    ['1_000', 'invalid syntax'],
    ['1\n', 'invalid syntax'],
    ['9223372036854775808x', 'invalid syntax'],
    ['9223372036854775808', 'value out of range'],
    ['-9223372036854775809', 'value out of range'],
    ['18446744073709551616x', 'value out of range'],
    ['9'.repeat(100_000), 'value out of range'],
  ])('refuses %j as Go does', (text, reason) => {
    expect(parseInt64(text)).toEqual({ error: `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${reason}` });
  });
});
