import { describe, expect, it } from '@jest/globals';
import { afterAttempt, retryAfterOf, type Attempt } from './retry-policy.js';

const NOW = new Date('2026-05-04T03:02:01Z');
const HOUR = 3_600_000;
const attempt = (more: Partial<Attempt>): Attempt => ({
  status: 503,
  retryAfter: undefined,
  attempts: 1,
  failures: 1,
  waitingSince: NOW,
  now: NOW,
  random: 0.5,
  ...more,
});
/** How long the queue waits, in seconds. */
const delay = (more: Partial<Attempt>): number => {
  const after = afterAttempt(attempt(more));
  return 'notBefore' in after ? (after.notBefore.getTime() - NOW.getTime()) / 1000 : NaN;
};

describe('after an attempt', () => {
  it('2xx is a delivery, and nothing else', () => {
    const outcome = (status: number | undefined): string => afterAttempt(attempt({ status })).outcome;
    expect([200, 201, 202, 204, 299].map(outcome)).toEqual(Array(5).fill('delivered'));
    expect([undefined, 100, 302, 304, 400, 401, 404, 408, 422, 429, 500, 599].map(outcome)).toEqual(
      Array(12).fill('waiting'),
    );
    expect(outcome(410)).toBe('gone');
  });

  it('delays double up to five minutes, with jitter of half of them', () => {
    expect([1, 2, 3, 4, 10, 1000].map((failures) => delay({ failures, random: 0 }))).toEqual([0.5, 1, 2, 4, 150, 150]);
    expect([1, 2, 3, 4, 10, 1000].map((failures) => delay({ failures, random: 0.999999 }))).toEqual([
      1, 2, 4, 8, 300, 300,
    ]);
  });

  it('Retry-After counts if it is later, up to an hour', () => {
    expect(delay({ status: 429, retryAfter: '120' })).toBe(120);
    expect(delay({ status: 429, retryAfter: '0' })).toBe(0.75);
    expect(delay({ status: 503, retryAfter: 'Mon, 04 May 2026 03:03:01 GMT' })).toBe(60);
    expect(delay({ status: 503, retryAfter: 'Mon, 04 May 2020 03:03:01 GMT' })).toBe(0.75);
    expect(delay({ status: 503, retryAfter: '999999999' })).toBe(3600);
    for (const text of ['-1', '1.5', 'soon', '', '2026-05-04T03:03:01Z', '1e9'])
      expect(retryAfterOf(text, NOW)).toBeUndefined();
  });

  it('an event is given up when its next attempt would be more than a day after the first', () => {
    const since = (hours: number): Date => new Date(NOW.getTime() - hours * HOUR);
    const outcome = (hours: number, retryAfter?: string): string =>
      afterAttempt(attempt({ waitingSince: since(hours), retryAfter, failures: 20 })).outcome;
    expect([outcome(23.9), outcome(24), outcome(23.5, '3600')]).toEqual(['waiting', 'givenUp', 'givenUp']);
  });

  it.each([400, 413, 415, 422])('an event that is refused with %i three times is given up at once', (status) => {
    expect([1, 2].map((attempts) => afterAttempt(attempt({ status, attempts })).outcome)).toEqual([
      'waiting',
      'waiting',
    ]);
    expect(afterAttempt(attempt({ status, attempts: 3, failures: 3 }))).toEqual({ outcome: 'givenUp', notBefore: NOW });
  });
});
