import { describe, expect, it } from '@jest/globals';
import type { PoolRequirement } from '../kubernetes/objects/karpenter.js';
import { conflict, requirementsOf, someValue } from './label-requirements.js';

const set = (key: string, operator: string, ...values: string[]): PoolRequirement => ({ key, operator, values });
const agree = (pool: readonly PoolRequirement[], pod: readonly PoolRequirement[]): boolean =>
  conflict(requirementsOf(pool), requirementsOf(pod)) === undefined;

describe("a pool's and a pod's requirements", () => {
  it.each([
    [set('team', 'In', 'a', 'b'), set('team', 'In', 'b', 'c'), true],
    [set('team', 'In', 'a'), set('team', 'In', 'c'), false],
    [set('team', 'In', 'a'), set('team', 'NotIn', 'a'), false],
    [set('team', 'In', 'a', 'b'), set('team', 'NotIn', 'a'), true],
    [set('team', 'Exists'), set('team', 'In', 'a'), true],
    [set('team', 'NotIn', 'a'), set('team', 'In', 'a'), false],
    [set('team', 'In', 'a'), set('team', 'Exists'), true],
    [set('team', 'In', 'a'), set('team', 'DoesNotExist'), false],
    [set('team', 'NotIn', 'a'), set('team', 'DoesNotExist'), true],
    [set('size', 'Gt', '3'), set('size', 'Lt', '5'), true],
    [set('size', 'Gt', '4'), set('size', 'Lt', '5'), false],
    [set('size', 'Gte', '5'), set('size', 'Lte', '5'), true],
    [set('size', 'In', '2', '8'), set('size', 'Gt', '4'), true],
    [set('size', 'In', '2', 'many'), set('size', 'Gt', '4'), false],
  ])('%j and %j agree: %s', (pool, pod, expected) => {
    expect(agree([pool], [pod])).toBe(expected);
  });

  it('do not agree on a label of which the pool says nothing, unless Karpenter knows its values', () => {
    expect(agree([], [set('team', 'In', 'a')])).toBe(false);
    expect(agree([], [set('team', 'Exists')])).toBe(false);
    expect(agree([], [set('team', 'NotIn', 'a')])).toBe(true);
    expect(agree([], [set('team', 'DoesNotExist')])).toBe(true);
    expect(agree([], [set('topology.kubernetes.io/zone', 'In', 'z1')])).toBe(true);
    expect(agree([], [set('karpenter.k8s.aws/instance-cpu', 'Gt', '4')])).toBe(true);
  });

  it('know labels by their former names', () => {
    const pool = [set('topology.kubernetes.io/zone', 'In', 'z1')];
    expect(agree(pool, [set('failure-domain.beta.kubernetes.io/zone', 'In', 'z2')])).toBe(false);
  });

  it('leave a value that both allow', () => {
    const merged = requirementsOf([set('a', 'Gt', '4'), set('b', 'In', 'y', 'x'), set('c', 'NotIn', 'x')]);
    expect([...merged].map(([key, values]) => [key, someValue(values)])).toEqual([
      ['a', '5'],
      ['b', 'x'],
      ['c', undefined],
    ]);
  });

  it('want the greater number of values', () => {
    const merged = requirementsOf([{ ...set('t', 'In', 'x', 'y'), minValues: 2 }, set('t', 'In', 'x')]);
    expect(merged.get('t')).toMatchObject({ minValues: 2, values: new Set(['x']) });
  });
});
