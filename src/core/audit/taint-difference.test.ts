import { describe, expect, it } from '@jest/globals';
import type { Taint } from '../kubernetes/objects/taints.js';
import { isNoDifference, nodeTaintState, taintDifference } from './taint-difference.js';

const ml: Taint = { key: 'dedicated', value: 'ml', effect: 'NoSchedule' };
const web: Taint = { key: 'dedicated', value: 'web', effect: 'NoSchedule' };
const evict: Taint = { key: 'dedicated', value: 'ml', effect: 'NoExecute' };
const bare: Taint = { key: 'maintenance', effect: 'NoSchedule' };

describe('taintDifference', () => {
  it.each<[string, Taint[], Taint[], object]>([
    ['a taint that is new is added', [ml], [bare, ml], { added: [bare] }],
    ['a taint that is gone is removed', [bare, ml], [ml], { removed: [bare] }],
    ['another value under the same key and effect is a change', [ml], [web], { changed: [{ before: ml, after: web }] }],
    ['another effect is one taint removed and one added', [ml], [evict], { added: [evict], removed: [ml] }],
    ['the order of the list alone is no difference', [ml, bare], [bare, ml], {}],
    ['an absent value is the empty one', [bare], [{ ...bare, value: '' }], {}],
    [
      'another timeAdded is a change',
      [{ ...evict, timeAdded: '2026-01-01T00:00:00Z' }],
      [{ ...evict, timeAdded: '2026-01-02T00:00:00Z' }],
      {
        changed: [
          {
            before: { ...evict, timeAdded: '2026-01-01T00:00:00Z' },
            after: { ...evict, timeAdded: '2026-01-02T00:00:00Z' },
          },
        ],
      },
    ],
    ['of a taint listed twice, the one that went is removed', [ml, web], [ml], { removed: [web] }],
    [
      'keys that mean something to JavaScript are keys like others',
      [{ key: '__proto__', effect: 'NoSchedule' }],
      [{ key: 'constructor', effect: 'NoSchedule' }],
      {
        added: [{ key: 'constructor', effect: 'NoSchedule' }],
        removed: [{ key: '__proto__', effect: 'NoSchedule' }],
      },
    ],
  ])('%s', (_name, before, after, want) => {
    const got = taintDifference(nodeTaintState({ taints: before }), nodeTaintState({ taints: after }));
    expect(got).toEqual({ added: [], removed: [], changed: [], ...want });
    expect(isNoDifference(got)).toBe(Object.keys(want).length === 0);
  });

  it.each([
    [undefined, true, 'cordoned'],
    [true, undefined, 'uncordoned'],
    [false, undefined, undefined],
    [true, true, undefined],
  ] as const)('from unschedulable %s to %s is %s', (before, after, cordon) => {
    const state = (unschedulable: boolean | undefined) =>
      nodeTaintState(unschedulable === undefined ? undefined : { unschedulable });
    const got = taintDifference(state(before), state(after));
    expect(got.cordon).toBe(cordon);
    expect(isNoDifference(got)).toBe(cordon === undefined);
  });
});
