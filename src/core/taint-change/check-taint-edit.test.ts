import { describe, expect, it } from '@jest/globals';
import { checkTaintEdit } from './check-taint-edit.js';
import type { TaintEdit } from './taint-edit.js';

const edit = (parts: Partial<TaintEdit>): TaintEdit => ({ add: [], remove: [], overwrite: false, ...parts });

describe('checkTaintEdit', () => {
  it.each<[string, Partial<TaintEdit>]>([
    [
      'swaps the effect of a key',
      { add: [{ key: 'a', effect: 'NoExecute' }], remove: [{ key: 'a', effect: 'NoSchedule' }] },
    ],
    ['removes every effect of a key', { remove: [{ key: 'a' }] }],
    ['cordons and nothing else', { unschedulable: true }],
    ['uncordons and nothing else', { unschedulable: false }],
    ['takes a label away', { labels: { set: new Map(), remove: ['bad key'] } }],
  ])('lets pass an edit that %s', (_, parts) => {
    expect(checkTaintEdit(edit(parts))).toEqual([]);
  });

  it.each<[string, Partial<TaintEdit>, object[]]>([
    ['asks for nothing', {}, [{ code: 'no-change-requested', message: 'at least one taint update is required' }]],
    [
      'adds and removes one key and effect',
      { add: [{ key: 'x', value: '1', effect: 'NoSchedule' }], remove: [{ key: 'x', effect: 'NoSchedule' }] },
      [
        {
          code: 'conflicting-taints',
          message: 'can not both modify and remove the following taint(s) in the same command: x=NoSchedule',
          field: 'remove[0]',
          pointer: '/remove/0',
        },
      ],
    ],
    [
      'adds a key whose removal names no effect',
      { add: [{ key: 'x', effect: 'NoSchedule' }], remove: [{ key: 'y' }, { key: 'x' }] },
      [
        {
          code: 'conflicting-taints',
          message: 'can not both modify and remove the following taint(s) in the same command: x=',
          pointer: '/remove/1',
        },
      ],
    ],
    [
      'adds a taint twice',
      {
        add: [
          { key: 'x', effect: 'NoSchedule' },
          { key: 'x', value: '1', effect: 'NoSchedule' },
        ],
      },
      [{ code: 'duplicate-taint', field: 'add[1]', pointer: '/add/1' }],
    ],
    [
      'sets and takes away one label',
      { labels: { set: new Map([['a', '1']]), remove: ['a'] } },
      [{ code: 'conflicting-labels', pointer: '/labels/remove/0' }],
    ],
  ])('refuses an edit that %s', (_, parts, expected) => {
    expect(checkTaintEdit(edit(parts))).toMatchObject(expected);
  });

  it('reports every fault at once', () => {
    const errors = checkTaintEdit(
      edit({
        add: [{ key: 'bad key', value: 'v v', effect: 'Nope' }],
        remove: [{ key: '', value: '-', effect: 'Never' }],
        labels: { set: new Map([['a/b/c', 'x y']]), remove: [] },
      }),
    );
    expect(errors.map(({ code, field }) => `${code} ${field ?? ''}`)).toEqual([
      'invalid-taint add[0].key',
      'invalid-taint add[0].value',
      'invalid-taint add[0].effect',
      'invalid-taint remove[0].key',
      'invalid-taint remove[0].key',
      'invalid-taint remove[0].value',
      'invalid-taint remove[0].effect',
      'invalid-label labels.set[a/b/c]',
      'invalid-label labels.set[a/b/c]',
    ]);
    expect(errors[0]?.message).toContain('add[0].key: Invalid value: "bad key": name part must consist of');
    expect(errors[2]?.message).toBe(
      'add[0].effect: Unsupported value: "Nope": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    );
  });
});
