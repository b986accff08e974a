import { describe, expect, it } from '@jest/globals';
import { parseDuration } from './duration.js';

describe('a duration', () => {
  it.each([
    ['0', 0],
    ['90', 90],
    ['90s', 90],
    ['5m', 300],
    ['1h30m', 5400],
    ['7d', 604_800],
    ['2w', 1_209_600],
  ])('%s is %d seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(['', '-1', '1.5h', '5 m', 'h', '1y', '5mm', 'm5', '1h30', '999999999999w'])(
    '%j is not a duration',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});
