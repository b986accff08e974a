import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { cancellingTaints, taintVerdicts } from './taint-verdicts.js';

const gates = DEFAULT_GATES;
const execute = (key: string): Taint => ({ key, effect: 'NoExecute' });
const exists = (key: string, seconds?: number | bigint): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(seconds !== undefined && { tolerationSeconds: seconds }),
});
const [a, b, c] = [execute('a'), execute('b'), execute('c')];

describe('taintVerdicts', () => {
  const told = (tolerations: readonly Toleration[], taints: readonly Taint[]) =>
    taintVerdicts(tolerations, taints, gates).map(({ taint, toleration, seconds, decides }) => [
      taint.key,
      toleration,
      seconds,
      decides,
    ]);

  it('names the first toleration that matches; the shortest decides', () => {
    expect(told([exists('b', 60), exists('a', 300), exists('a', 5)], [a, b])).toEqual([
      ['a', 1, 300, false],
      ['b', 0, 60, true],
    ]);
  });

  it('names the first of several taints that are tolerated for equally long', () => {
    expect(told([exists('a', 60), exists('b', 60)], [b, a]).map(([key, , , decides]) => [key, decides])).toEqual([
      ['b', true],
      ['a', false],
    ]);
  });

  it('names the first taint that is not tolerated, whatever the others allow', () => {
    expect(told([exists('a', 1)], [a, b, c])).toEqual([
      ['a', 0, 1, false],
      ['b', null, null, true],
      ['c', null, null, false],
    ]);
  });

  it('names no taint if all are tolerated without a limit', () => {
    expect(told([exists('a')], [a])).toEqual([['a', 0, null, false]]);
  });

  it('compares seconds beyond the safe integers exactly', () => {
    const huge = 2n ** 62n;
    expect(told([exists('a', huge + 1n), exists('b', huge)], [a, b]).map(([, , , decides]) => decides)).toEqual([
      false,
      true,
    ]);
  });
});

describe('cancellingTaints', () => {
  const keys = (tolerations: readonly Toleration[], taints: readonly Taint[]) => {
    const { anyOf, allOf } = cancellingTaints(tolerations, taints, gates);
    return { anyOf: anyOf.map(({ key }) => key), allOf: allOf.map(({ key }) => key) };
  };

  it('is the one taint that evicts the pod', () => {
    expect(keys([exists('a')], [a, b])).toEqual({ anyOf: ['b'], allOf: [] });
  });

  it('is all evicting taints if removing one is not enough; one tolerated without a limit may stay', () => {
    expect(keys([exists('a'), exists('b', 60)], [a, b, c])).toEqual({ anyOf: [], allOf: ['b', 'c'] });
  });

  it('is empty for a pod that is not evicted', () => {
    expect(keys([exists('a')], [a])).toEqual({ anyOf: [], allOf: [] });
  });
});
