import { expect, it } from '@jest/globals';
import { momentOf } from '../disruptions/moment-of.js';
import { timeText } from './schedule-response.js';

it.each([
  ['a whole second', Date.parse('2026-05-04T12:00:00Z'), '2026-05-04T12:00:00Z'],
  ['a fraction of one', Date.parse('2026-05-04T12:00:00.25Z'), '2026-05-04T12:00:00.250Z'],
  ['the last second in the range of RFC 3339', 253_402_300_799_000, '9999-12-31T23:59:59Z'],
  ['the first second of the year 10000', 253_402_300_800_000, '9999-12-31T23:59:59Z'],
  ['the longest grace period from now on', 2 ** 63 * 1000, '9999-12-31T23:59:59Z'],
  ['a moment before the year 0', -(2 ** 63) * 1000, '0000-01-01T00:00:00Z'],
])('is %s in RFC 3339', (_, at, text) => {
  expect(timeText(at)).toBe(text);
});

it('is null outside the range of RFC 3339', () => {
  expect(momentOf(253_402_300_799_000)?.toISOString()).toBe('9999-12-31T23:59:59.000Z');
  expect([253_402_300_800_000, -62_167_219_200_001, Infinity, Number.NaN, undefined].map(momentOf)).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
});
