import { describe, expect, it } from '@jest/globals';
import { scaledValue } from './scaled-value.js';

describe('scaledValue', () => {
  it.each<[string, number | string, number, unknown]>([
    ['a number stands for itself', 3, 10, { value: 3 }],
    ['a percentage rounds up', '34%', 5, { value: 2 }],
    ['a whole percentage is exact', '40%', 5, { value: 2 }],
    ['signs are read as Go reads them', '+50%', 4, { value: 2 }],
    [
      'a text that is no percentage is an error',
      '50',
      4,
      { error: 'invalid value for IntOrString: invalid type: string is not a percentage' },
    ],
    [
      'so are fractions',
      '1.5%',
      4,
      { error: 'invalid value for IntOrString: invalid value "1.5%": strconv.Atoi: parsing "1.5": invalid syntax' },
    ],
    [
      'and what 64 bits cannot hold',
      '9223372036854775808%',
      4,
      {
        error:
          'invalid value for IntOrString: invalid value "9223372036854775808%": strconv.Atoi: parsing "9223372036854775808": value out of range',
      },
    ],
    ['what 32 bits cannot hold is cut', '4294967296%', 100, { value: 0 }],
  ])('%s', (_, given, total, expected) => {
    expect(scaledValue(given, total)).toEqual(expected);
  });
});
