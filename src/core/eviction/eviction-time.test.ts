import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { evictionTime, minTolerationTime } from './eviction-time.js';

const gates = DEFAULT_GATES;
const maint: Taint = { key: 'maint', effect: 'NoExecute' };
const other: Taint = { key: 'other', effect: 'NoExecute' };
const exists = (key: string, tolerationSeconds?: number | bigint): Toleration => ({
  key,
  operator: 'Exists',
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});
const SECOND = 1_000_000_000n;

describe('evictionTime', () => {
  it('does not evict a pod if no taint has the effect NoExecute', () => {
    expect(evictionTime([], [{ key: 'a', effect: 'NoSchedule' }], gates)).toEqual({ action: 'none' });
  });

  it('evicts immediately and names the first taint that is not tolerated', () => {
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

  it('uses the shortest of the used tolerations that have a limit', () => {
    const used = [exists('maint'), exists('other', 60)];
    expect(evictionTime(used, [maint, other], gates)).toMatchObject({ action: 'after', delay: 60n * SECOND });
  });

  it('evicts immediately if a used toleration has zero seconds or fewer', () => {
    expect(evictionTime([exists('maint', -5)], [maint], gates)).toMatchObject({ action: 'now', delay: 0n });
  });
});

describe('minTolerationTime', () => {
  it.each<[string, Toleration[], bigint]>([
    ['nothing tolerated is no time at all', [], 0n],
    ['no toleration with seconds means never', [exists('a'), exists('b')], -1n],
    ['the largest int64 means never', [exists('a', 2n ** 63n - 1n)], -1n],
    ['the longest time that fits', [exists('a', 9223372036)], 9223372036n * SECOND],
    ['one second more turns negative', [exists('a', 9223372037)], -9223372036709551616n],
    ['a power of two may turn to nothing', [exists('a', 2n ** 55n)], 0n],
  ])('%s', (_, tolerations, expected) => {
    expect(minTolerationTime(tolerations)).toBe(expected);
  });
});
