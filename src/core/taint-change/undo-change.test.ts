import { describe, expect, it } from '@jest/globals';
import { taintDifference, nodeTaintState } from '../audit/taint-difference.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { applyTaintEdit, taintsOf } from './apply-taint-edit.js';
import { isNoLabelDifference, labelDifference } from './label-difference.js';
import { redoChange } from './redo-change.js';
import type { TaintEdit } from './taint-edit.js';
import { type RecordedNodeChange, undoConflicts, undoEdit, undoWhatStands } from './undo-change.js';

const taint = (text: string): Taint => {
  const [pair = '', effect = ''] = text.split(':');
  const [key = '', value] = pair.split('=');
  return { key, ...(value !== undefined && { value }), effect };
};
const node = (taints: readonly string[], labels = {}, unschedulable = false): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', labels },
  spec: { ...(taints.length > 0 && { taints: taints.map(taint) }), ...(unschedulable && { unschedulable }) },
});
const told = (of: Node): readonly string[] =>
  taintsOf(of).map(({ key, value, effect }) => `${key}${value === undefined ? '' : `=${value}`}:${effect}`);

function made(before: Node, edit: Partial<TaintEdit>): { readonly after: Node; readonly change: RecordedNodeChange } {
  const result = applyTaintEdit(before, { add: [], remove: [], overwrite: true, ...edit });
  if (result.outcome === 'refused') throw new Error(result.errors[0]?.message);
  const labels = labelDifference(before.metadata.labels, result.node.metadata.labels);
  return {
    after: result.node,
    change: { difference: result.difference, ...(!isNoLabelDifference(labels) && { labels }) },
  };
}

const EDITS: readonly [string, Node, Partial<TaintEdit>][] = [
  ['an added taint goes', node(['b:NoSchedule']), { add: [taint('a=1:NoSchedule')] }],
  ['a removed taint comes back', node(['a=1:NoExecute', 'b:NoSchedule']), { remove: [{ key: 'a' }] }],
  ['an overwritten value comes back', node(['a=1:NoSchedule']), { add: [taint('a=2:NoSchedule')] }],
  [
    'one effect for another is swapped back',
    node(['a=1:NoSchedule']),
    { add: [taint('a=1:NoExecute')], remove: [{ key: 'a', effect: 'NoSchedule' }] },
  ],
  ['a cordon goes with its taint', node([]), { unschedulable: true }],
  [
    'a cordon comes back with its taint',
    node(['node.kubernetes.io/unschedulable:NoSchedule'], {}, true),
    { unschedulable: false },
  ],
  [
    'labels are as they were',
    node([], { keep: '1', gone: '2', other: '3' }),
    {
      labels: {
        set: new Map([
          ['other', 'x'],
          ['new', 'y'],
        ]),
        remove: ['gone'],
      },
    },
  ],
];

describe('undoEdit', () => {
  it.each(EDITS)('%s', (_, before, edit) => {
    const { after, change } = made(before, edit);
    expect(undoConflicts(after, change)).toEqual([]);
    const { after: back } = made(after, undoEdit(change));
    const rest = taintDifference(nodeTaintState(before.spec), nodeTaintState(back.spec));
    expect(rest).toEqual({ added: [], removed: [], changed: [] });
    expect(back.metadata.labels).toEqual(before.metadata.labels);
  });

  it('undoConflicts lists each part that another client changed, with its recorded value', () => {
    const before = node(['gone=1:NoExecute', 'kept=1:NoSchedule']);
    const { change } = made(before, {
      add: [taint('a=1:NoSchedule'), taint('b=1:NoSchedule'), taint('kept=2:NoSchedule')],
      remove: [{ key: 'gone' }],
      unschedulable: true,
      labels: { set: new Map([['l', '1']]), remove: [] },
    });
    const now = node(['a=2:NoSchedule', 'kept=2:NoSchedule', 'gone=9:NoExecute'], { l: '2' });
    expect(undoConflicts(now, change).map(({ what, left, now: found }) => [what, left, found])).toEqual([
      ['taint', 'a=1:NoSchedule', 'a=2:NoSchedule'],
      ['taint', 'b=1:NoSchedule', null],
      ['taint', 'node.kubernetes.io/unschedulable:NoSchedule', null],
      ['taint', 'no gone:NoExecute', 'gone=9:NoExecute'],
      ['cordon', 'cordoned', 'uncordoned'],
      ['label', 'l=1', 'l=2'],
    ]);
  });

  it('undoWhatStands removes the remaining parts if others are already gone', () => {
    const { change } = made(node([]), { add: [taint('a:NoSchedule'), taint('b:NoSchedule')] });
    const now = node(['b:NoSchedule', 'c:NoSchedule']);
    expect(told(made(now, undoWhatStands(now, undoEdit(change))).after)).toEqual(['c:NoSchedule']);
  });
});

describe('redoChange', () => {
  it('restores the values of the change, next to those of other clients', () => {
    const { change } = made(node(['old=1:NoSchedule', 'gone:NoExecute']), {
      add: [taint('new=1:NoSchedule'), taint('old=2:NoSchedule')],
      remove: [{ key: 'gone' }],
      labels: { set: new Map([['pool', 'ml']]), remove: [] },
    });
    const shown = node(['other:NoSchedule', 'gone:NoExecute', 'old=1:NoSchedule'], { zone: 'a' });
    const redone = redoChange(shown, change.difference, change.labels);
    expect(told(redone)).toEqual(['new=1:NoSchedule', 'other:NoSchedule', 'old=2:NoSchedule']);
    expect(redone.metadata.labels).toEqual({ zone: 'a', pool: 'ml' });
    expect(redoChange(redone, change.difference, change.labels)).toEqual(redone);
  });

  it('cordons again', () => {
    const { change } = made(node([]), { unschedulable: true });
    expect(redoChange(node([]), change.difference).spec).toEqual({
      unschedulable: true,
      taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
    });
  });
});
