import { describe, expect, it } from '@jest/globals';
import { compareResourceVersions, isOlderVersion } from './resource-version.js';

describe('resourceVersions', () => {
  it.each([
    ['9', '10', -1],
    ['10', '9', 1],
    ['10', '10', 0],
    ['18446744073709551616', '18446744073709551617', -1],
    ['0', '1', undefined],
    ['01', '1', undefined],
    ['', '1', undefined],
    ['1', 'abc', undefined],
    ['-1', '1', undefined],
  ])('%s and %s compare as integers of any length: %s', (a, b, order) => {
    expect(compareResourceVersions(a, b)).toBe(order);
  });

  it('are not known to be older where one is absent', () => {
    expect([
      isOlderVersion('1', '2'),
      isOlderVersion('2', '2'),
      isOlderVersion(null, '2'),
      isOlderVersion('1', null),
    ]).toEqual([true, false, false, false]);
  });
});
