import { describe, expect, it } from '@jest/globals';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { evictionTime, minTolerationTime } from './eviction-time.js';

const gates = { comparisonOperators: false };
const maint: Taint = { key: 'maint', effect: 'NoExecute' };
const other: Taint = { key: 'other', effect: 'NoExecute' };
const exists = (key: string, tolerationSeconds?: number | bigint): Toleration => ({
  key,
  operator: 'Exists',
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});
const SECOND = 1_000_000_000n;

describe('evictionTime', () => {
  it('leaves a pod alone where no taint executes', () => {
    expect(evictionTime([], [{ key: 'a', effect: 'NoSchedule' }], gates)).toEqual({ action: 'none' });
  });

  it('evicts at once and names the first taint that nothing tolerates', () => {
    expect(evictionTime([exists('maint', 300)], [maint, other], gates)).toEqual({
      action: 'now',
      untolerated: other,
      noExecute: 2,
    });
  });

  it('uses the first matching toleration, whatever a later one would allow', () => {
    const short = exists('maint', 10);
    expect(evictionTime([short, exists('maint')], [maint], gates)).toEqual({
      action: 'after',
      noExecute: 1,
      used: [short],
      delay: 10n * SECOND,
    });
  });

  it('takes the shortest of the tolerations used, those without an end aside', () => {
    const used = [exists('maint'), exists('other', 60)];
    expect(evictionTime(used, [maint, other], gates)).toMatchObject({ action: 'after', delay: 60n * SECOND });
  });

  it('evicts at once when a toleration used is spent', () => {
    expect(evictionTime([exists('maint', -5)], [maint], gates)).toMatchObject({ action: 'now', delay: 0n });
  });
});

describe('minTolerationTime', () => {
  it.each<[string, Toleration[], bigint]>([
    ['nothing tolerated is no time at all', [], 0n],
    ['no seconds anywhere are for ever', [exists('a'), exists('b')], -1n],
    ['the largest int64 is for ever', [exists('a', 2n ** 63n - 1n)], -1n],
    ['the longest time that fits', [exists('a', 9223372036)], 9223372036n * SECOND],
    ['one second more turns negative', [exists('a', 9223372037)], -9223372036709551616n],
    ['a power of two may turn to nothing', [exists('a', 2n ** 55n)], 0n],
  ])('%s', (_, tolerations, expected) => {
    expect(minTolerationTime(tolerations)).toBe(expected);
  });
});
