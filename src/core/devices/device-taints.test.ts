import { describe, expect, it } from '@jest/globals';
import type { DeviceTaint } from '../kubernetes/objects/dra.js';
import { preventingDeviceTaint, toleratesDeviceTaint } from './device-taints.js';

const TAINT: DeviceTaint = { key: 'gpu.example.com/hot', value: 'yes', effect: 'NoSchedule' };

describe('a toleration of a device request', () => {
  it.each([
    ['with Exists ignores a value', { key: TAINT.key, operator: 'Exists', value: 'other' }, true],
    ['with Equal and no key matches every key that has its value', { operator: 'Equal', value: 'yes' }, true],
    ['without an operator compares the values', { key: TAINT.key, value: 'no' }, false],
    ['of another effect does not match', { operator: 'Exists', effect: 'NoExecute' }, false],
    ['with an unknown operator never matches', { key: TAINT.key, operator: 'In', value: 'yes' }, false],
    ['with Gt, which only tolerations of pods can have, never matches', { key: TAINT.key, operator: 'Gt' }, false],
  ])('%s', (_title, toleration, matches) => {
    expect(toleratesDeviceTaint(toleration, TAINT)).toBe(matches);
  });
});

describe('a device taint', () => {
  it.each([
    ['NoSchedule', TAINT],
    ['NoExecute', { ...TAINT, effect: 'NoExecute' }],
  ])('with effect %s prevents an allocation that does not tolerate it', (_effect, taint) => {
    expect(preventingDeviceTaint([taint], [])).toBe(taint);
    expect(preventingDeviceTaint([taint], [{ operator: 'Exists', tolerationSeconds: 0 }])).toBeUndefined();
  });

  it.each(['None', 'NoAdmit', ''])('with effect "%s" prevents no allocation', (effect) => {
    expect(preventingDeviceTaint([{ ...TAINT, effect }], [])).toBeUndefined();
  });

  it('that prevents the allocation is the first in the list that is not tolerated', () => {
    const second = { ...TAINT, key: 'example.com/broken' };
    const third = { ...TAINT, key: 'example.com/old' };
    expect(preventingDeviceTaint([TAINT, second, third], [{ key: TAINT.key, operator: 'Exists' }])).toBe(second);
  });
});
