import { describe, expect, it } from '@jest/globals';
import type { TaintDifference } from '../audit/taint-difference.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { LabelDifference } from './label-difference.js';
import { replanChange, type ReplannedChange } from './replan-change.js';

const taint = (text: string): Taint => {
  const [, key = '', , value, effect] = /^([^=:]+)(=([^:]*))?:(.+)$/.exec(text) ?? [];
  return { key, ...(value !== undefined && { value }), effect } as Taint;
};
const node = (
  taints: readonly string[],
  more: { labels?: Record<string, string>; unschedulable?: true } = {},
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', labels: more.labels ?? {} },
  spec: { taints: taints.map(taint), ...(more.unschedulable && { unschedulable: true }) },
});
const change = (
  {
    added = [],
    removed = [],
    changed = [],
    cordon,
  }: {
    added?: string[];
    removed?: string[];
    changed?: [string, string][];
    cordon?: TaintDifference['cordon'];
  },
  labels?: LabelDifference,
) => ({
  difference: {
    added: added.map(taint),
    removed: removed.map(taint),
    changed: changed.map(([before, after]) => ({ before: taint(before), after: taint(after) })),
    ...(cordon !== undefined && { cordon }),
  },
  ...(labels && { labels }),
});
const asked = (planned: ReplannedChange): unknown =>
  planned.outcome === 'write'
    ? { taints: planned.asked.spec?.taints, cordon: planned.asked.spec?.unschedulable }
    : planned;

describe('a recorded change, planned again', () => {
  it('keeps what others have written since, and puts new taints in front as kubectl does', () => {
    expect(asked(replanChange(node(['b:NoExecute']), change({ added: ['a=1:NoSchedule'] })))).toEqual({
      taints: [taint('a=1:NoSchedule'), taint('b:NoExecute')],
      cordon: undefined,
    });
  });

  it('leaves out what the node has already', () => {
    const both = change({ added: ['a=1:NoSchedule'], removed: ['old:NoSchedule'], cordon: 'cordoned' });
    expect(replanChange(node(['a=1:NoSchedule'], { unschedulable: true }), both)).toEqual({ outcome: 'done' });
    expect(asked(replanChange(node(['a=1:NoSchedule']), both))).toEqual({
      taints: [taint('a=1:NoSchedule')],
      cordon: true,
    });
  });

  it('does not write the taint that follows the cordon', () => {
    const cordon = change({ cordon: 'cordoned', added: ['node.kubernetes.io/unschedulable:NoSchedule'] });
    expect(asked(replanChange(node([]), cordon))).toEqual({ taints: undefined, cordon: true });
  });

  it.each([
    [
      ['a=2:NoSchedule'],
      change({ added: ['a=1:NoSchedule'] }),
      ['a=2:NoSchedule is there, which was not when the change was made'],
    ],
    [
      [],
      change({ changed: [['a=1:NoSchedule', 'a=2:NoSchedule']] }),
      ['the change overwrites a=1:NoSchedule, which is now absent'],
    ],
    [
      ['a=3:NoSchedule', 'b=9:NoExecute'],
      change({ changed: [['a=1:NoSchedule', 'a=2:NoSchedule']], removed: ['b=8:NoExecute'] }),
      [
        'the change overwrites a=1:NoSchedule, which is now a=3:NoSchedule',
        'the change removes b=8:NoExecute, which is now b=9:NoExecute',
      ],
    ],
  ])('is refused where a value is not the one that was previewed: %j', (taints, made, reasons) => {
    expect(replanChange(node(taints), made)).toEqual({ outcome: 'refused', reasons });
  });

  it('treats labels likewise', () => {
    const labels = {
      set: [
        { key: 'pool', before: 'a', after: 'b' },
        { key: 'new', after: '1' },
      ],
      removed: [{ key: 'old', before: 'x' }],
    };
    const planned = replanChange(node([], { labels: { pool: 'a', old: 'x', other: 'y' } }), change({}, labels));
    expect(planned.outcome === 'write' && planned.asked.metadata.labels).toEqual({ pool: 'b', new: '1', other: 'y' });
    expect(replanChange(node([], { labels: { pool: 'b', new: '1' } }), change({}, labels))).toEqual({
      outcome: 'done',
    });
    expect(replanChange(node([], { labels: { pool: 'c', new: '2', old: 'z' } }), change({}, labels))).toEqual({
      outcome: 'refused',
      reasons: [
        'the change overwrites the label pool=a, which is now pool=c',
        'the change adds the label new, which is now new=2',
        'the change removes the label old=x, which is now old=z',
      ],
    });
  });
});
