import { DEFAULT_RULES } from './kubernetes-rules.js';
import { describe, expect, it } from '@jest/globals';
import type { Taint, Toleration } from './objects/taints.js';
import { formatTaint } from './taint.js';
import { findUntolerated, indexOfTolerating, toleratesTaint, DEFAULT_GATES, gatesOf } from './toleration.js';

const gates = gatesOf(DEFAULT_RULES, true);
const taint = (value?: string, effect = 'NoSchedule'): Taint => ({
  key: 'k',
  effect,
  ...(value === undefined ? {} : { value }),
});

describe('toleratesTaint', () => {
  it.each<[string, Toleration, Taint, boolean]>([
    ['an empty operator is Equal', { key: 'k', value: 'v' }, taint('v'), true],
    ['an absent value equals an empty one', { key: 'k', operator: 'Equal' }, taint(''), true],
    ['Equal compares values', { key: 'k', value: 'v' }, taint('w'), false],
    ['Exists ignores values', { key: 'k', operator: 'Exists', value: 'x' }, taint('v'), true],
    ['an empty key with Exists matches every key', { operator: 'Exists' }, taint('v'), true],
    ['an empty key with Equal matches every key of that value', { value: 'v' }, taint('v'), true],
    ['an empty effect matches every effect', { key: 'k', operator: 'Exists', effect: '' }, taint('', 'Odd'), true],
    ['another effect does not match', { key: 'k', operator: 'Exists', effect: 'NoExecute' }, taint(), false],
    ['another key does not match', { key: 'K', operator: 'Exists' }, taint(), false],
    ['an unknown operator matches nothing', { key: 'k', operator: 'exists' }, taint(), false],
    ['Gt wants a greater value of the taint', { key: 'k', operator: 'Gt', value: '5' }, taint('6'), true],
    ['Gt does not take an equal value', { key: 'k', operator: 'Gt', value: '5' }, taint('5'), false],
    ['Lt compares numbers, not texts', { key: 'k', operator: 'Lt', value: '10' }, taint('9'), true],
    ['Lt takes negative numbers', { key: 'k', operator: 'Lt', value: '0' }, taint('-1'), true],
    [
      'Gt is exact at the end of int64',
      { key: 'k', operator: 'Gt', value: '9223372036854775806' },
      taint('9223372036854775807'),
      true,
    ],
    [
      'a number beyond int64 matches nothing',
      { key: 'k', operator: 'Gt', value: '1' },
      taint('9223372036854775808'),
      false,
    ],
    ['a leading zero matches nothing', { key: 'k', operator: 'Gt', value: '1' }, taint('007'), false],
    ['a plus sign matches nothing', { key: 'k', operator: 'Lt', value: '+7' }, taint('1'), false],
    ['a taint without value matches no comparison', { key: 'k', operator: 'Lt', value: '7' }, taint(), false],
  ])('%s', (_name, toleration, against, want) => {
    expect(toleratesTaint(toleration, against, gates)).toBe(want);
  });

  it('never matches Lt and Gt while the gate is off', () => {
    const off = DEFAULT_GATES;
    expect(toleratesTaint({ key: 'k', operator: 'Gt', value: '5' }, taint('6'), off)).toBe(false);
    expect(toleratesTaint({ key: 'k', operator: 'Lt', value: '5' }, taint('4'), off)).toBe(false);
  });
});

describe('findUntolerated', () => {
  const taints = [taint('a', 'PreferNoSchedule'), taint('b'), taint('c', 'NoExecute')];

  it('returns the first taint with one of the effects that no toleration matches', () => {
    expect(findUntolerated([], taints, ['NoSchedule', 'NoExecute'], gates)).toBe(taints[1]);
    expect(findUntolerated([{ key: 'k', value: 'b' }], taints, ['NoSchedule', 'NoExecute'], gates)).toBe(taints[2]);
    expect(findUntolerated([{ operator: 'Exists' }], taints, undefined, gates)).toBeUndefined();
    expect(findUntolerated([], taints, [], gates)).toBeUndefined();
  });

  it('checks every taint if no effects are given', () => {
    expect(findUntolerated([], taints, undefined, gates)).toBe(taints[0]);
  });

  it('returns the index of the first matching toleration', () => {
    const tolerations = [{ key: 'x' }, { key: 'k', value: 'b' }, { operator: 'Exists' }];
    expect(indexOfTolerating(tolerations, taint('b'), gates)).toBe(1);
    expect(indexOfTolerating(tolerations.slice(0, 2), taint('z'), gates)).toBe(-1);
  });
});

describe('formatTaint', () => {
  it.each([
    ['key=value:Effect', { key: 'k', value: 'v', effect: 'NoSchedule' }],
    ['key:Effect', { key: 'key', value: '', effect: 'Effect' }],
    ['key', { key: 'key', effect: '' }],
    ['key=v:', { key: 'key', value: 'v', effect: '' }],
  ])('writes %s', (want, given) => {
    expect(formatTaint(given)).toBe(want === 'key=value:Effect' ? 'k=v:NoSchedule' : want);
  });
});
