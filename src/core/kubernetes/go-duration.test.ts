import { describe, expect, it } from '@jest/globals';
import { formatGoDuration, parseGoDuration } from './go-duration.js';

describe('parseGoDuration', () => {
  it.each<[string, bigint]>([
    ['0', 0n],
    ['5s', 5_000_000_000n],
    ['-1.5h', -5_400_000_000_000n],
    ['+1h2m3s4ms5us6ns', 3_723_004_005_006n],
    ['.5s', 500_000_000n],
    ['1\u00b5s', 1000n],
    ['0.3333333333333333333h', 1_200_000_000_000n],
    ['-9223372036854775808ns', -9223372036854775808n],
  ])('reads %s', (text, nanoseconds) => {
    expect(parseGoDuration(text)).toEqual({ nanoseconds });
  });

  it.each([
    ['', 'time: invalid duration ""'],
    ['soon', 'time: invalid duration "soon"'],
    ['-', 'time: invalid duration "-"'],
    ['.s', 'time: invalid duration ".s"'],
    ['10', 'time: missing unit in duration "10"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['5 s', 'time: unknown unit " s" in duration "5 s"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['99999999999999999999999h', 'time: invalid duration "99999999999999999999999h"'],
    ['3000000h', 'time: invalid duration "3000000h"'],
    ['1"\\\u00e4\n', 'time: unknown unit "\\"\\\\\\xc3\\xa4\\x0a" in duration "1\\"\\\\\\xc3\\xa4\\x0a"'],
  ])('refuses %j', (text, error) => {
    expect(parseGoDuration(text)).toEqual({ error });
  });
});

describe('formatGoDuration', () => {
  it.each([
    [0n, '0s'],
    [1n, '1ns'],
    [1_500n, '1.5\u00b5s'],
    [100_000_000n, '100ms'],
    [-500_000_000n, '-500ms'],
    [10_000_000_000n, '10s'],
    [600_000_000_000n, '10m0s'],
    [5_400_500_000_000n, '1h30m0.5s'],
  ])('writes %s as %s', (nanoseconds, text) => {
    expect(formatGoDuration(nanoseconds)).toBe(text);
  });
});
