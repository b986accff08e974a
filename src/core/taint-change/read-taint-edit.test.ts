import { describe, expect, it } from '@jest/globals';
import { FieldPath } from '../kubernetes/field-path.js';
import { readTaintEdit, type GivenTaintEdit } from './read-taint-edit.js';

const read = (given: GivenTaintEdit) => readTaintEdit(given, FieldPath.of('body'));

describe('readTaintEdit', () => {
  it('reads arguments and objects in order', () => {
    const { edit, errors } = read({
      taints: [
        'a=1:NoSchedule',
        { key: 'b', effect: 'NoExecute' },
        'old-',
        { key: 'c', effect: 'NoSchedule', remove: true },
      ],
      labels: ['pool=gpu', 'tier-'],
      unschedulable: true,
      overwrite: true,
    });
    expect(errors).toEqual([]);
    expect(edit).toEqual({
      add: [
        { key: 'a', value: '1', effect: 'NoSchedule' },
        { key: 'b', effect: 'NoExecute' },
      ],
      remove: [
        { key: 'old', effect: '' },
        { key: 'c', effect: 'NoSchedule' },
      ],
      overwrite: true,
      labels: { set: new Map([['pool', 'gpu']]), remove: ['tier'] },
      unschedulable: true,
    });
  });

  it('reads labels as a map with any keys, in which null removes a label', () => {
    const labels = JSON.parse('{"__proto__": "x", "tier": null}') as Record<string, string | null>;
    const { edit, errors } = read({ labels });
    expect(errors.map(({ pointer }) => pointer)).toEqual(['/body/labels/__proto__']);
    expect(edit.labels).toEqual({ set: new Map([['__proto__', 'x']]), remove: ['tier'] });
  });

  const bad: readonly [string, GivenTaintEdit, readonly [pointer: string, code: string, message: string][]][] = [
    ['an empty edit', {}, [['/body', 'no-change-requested', 'at least one taint update is required']]],
    [
      "words that kubectl refuses, each in kubectl's words",
      { taints: ['a:Never', 'fine:NoSchedule', 'b=c', 'fine:NoSchedule'], labels: ['x', 'y=z=1'] },
      [
        ['/body/taints/0', 'invalid-taint', 'invalid taint effect: Never, unsupported taint effect'],
        [
          '/body/taints/2',
          'invalid-taint',
          'invalid taint spec: b=c, name part must consist of alphanumeric characters',
        ],
        [
          '/body/taints/3',
          'duplicate-taint',
          'duplicated taints with the same key and effect: {fine  NoSchedule <nil>}',
        ],
        ['/body/labels/0', 'invalid-label', 'unknown label spec: x'],
        ['/body/labels/1', 'invalid-label', 'invalid label spec: y=z=1'],
      ],
    ],
    [
      "objects, in the API server's words, with the place in the object",
      {
        taints: [
          { key: 'a b', effect: 'NoSchedule' },
          { key: 'k', value: 'v', effect: 'x' },
          { keys: 'k', effect: 1 },
          7,
        ],
      },
      [
        ['/body/taints/2/keys', 'invalid-taint', 'unknown field "keys"'],
        ['/body/taints/2/effect', 'invalid-taint', 'must be a string'],
        ['/body/taints/3', 'invalid-taint', 'must be a string such as'],
        ['/body/taints/0/key', 'invalid-taint', 'Invalid value: "a b": name part must consist'],
        ['/body/taints/1/effect', 'invalid-taint', 'Unsupported value: "x"'],
      ],
    ],
    [
      'what is both added and removed, at the removal',
      { taints: [{ key: 'k', effect: 'NoSchedule' }, 'k-'], labels: { 'a/b': 'c' } },
      [
        [
          '/body/taints/1',
          'conflicting-taints',
          'can not both modify and remove the following taint(s) in the same command: k=',
        ],
      ],
    ],
    [
      'a label that is both set and taken away, and a bad key, where they stand',
      { labels: ['a=1', 'a-', 'b c=1'] },
      [
        ['/body/labels/2', 'invalid-label', 'Invalid value: "b c"'],
        ['/body/labels/1', 'conflicting-labels', 'can not both modify and remove a label in the same command'],
      ],
    ],
  ];
  it.each(bad)('refuses %s', (_, given, expected) => {
    const { errors } = read(given);
    expect(errors.map(({ pointer, code }) => [pointer, code])).toEqual(
      expected.map(([pointer, code]) => [pointer, code]),
    );
    errors.forEach(({ message }, index) => expect(message).toContain(expected[index]![2]));
  });
});
