import { describe, expect, it } from '@jest/globals';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { cancellingTaints, taintVerdicts } from './taint-verdicts.js';

const gates = { comparisonOperators: false };
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

  it('names the first toleration that matches, and lets the shortest decide', () => {
    expect(told([exists('b', 60), exists('a', 300), exists('a', 5)], [a, b])).toEqual([
      ['a', 1, 300, false],
      ['b', 0, 60, true],
    ]);
  });

  it('lets the first of several decide that are tolerated for as long', () => {
    expect(told([exists('a', 60), exists('b', 60)], [b, a]).map(([key, , , decides]) => [key, decides])).toEqual([
      ['b', true],
      ['a', false],
    ]);
  });

  it('lets the first taint decide that nothing tolerates, whatever the others allow', () => {
    expect(told([exists('a', 1)], [a, b, c])).toEqual([
      ['a', 0, 1, false],
      ['b', null, null, true],
      ['c', null, null, false],
    ]);
  });

  it('lets nothing decide where all is tolerated for ever', () => {
    expect(told([exists('a')], [a])).toEqual([['a', 0, null, false]]);
  });

  it('compares seconds that no number holds', () => {
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

  it('is the one taint that takes the pod', () => {
    expect(keys([exists('a')], [a, b])).toEqual({ anyOf: ['b'], allOf: [] });
  });

  it('is all those that take it, where one alone is not enough; one tolerated for ever may stay', () => {
    expect(keys([exists('a'), exists('b', 60)], [a, b, c])).toEqual({ anyOf: [], allOf: ['b', 'c'] });
  });

  it('is nothing for a pod that stays', () => {
    expect(keys([exists('a')], [a])).toEqual({ anyOf: [], allOf: [] });
  });
});
