import { describe, expect, it } from '@jest/globals';
import { collectValues } from '../../app/withheld-values.js';
import { maskJson } from './mask-json.js';
import { maskText } from './mask-text.js';
import { processorTime } from '../../../test/support/processor-time.js';

const VALUES = new Map([
  ['type', new Set(['hound', 'gpu'])],
  ['example.com/pool', new Set(['ml'])],
  ['gpu', new Set(['gpu', 'a100'])],
  ['odd', new Set(['NoSchedule'])],
]);

describe('texts about taints', () => {
  it.each([
    ['a taint', 'type=hound:NoSchedule', 'type=***:NoSchedule'],
    ['a taint with an unknown key', 'x/y=z.1-2_3:NoExecute', 'x/y=***:NoExecute'],
    ['a taint whose value is its key', 'gpu=gpu:NoSchedule', 'gpu=***:NoSchedule'],
    ['a taint without a value', 'type:NoSchedule', 'type:NoSchedule'],
    ['a taint whose value is its effect', 'odd=NoSchedule:NoSchedule-', 'odd=***:NoSchedule-'],
    ['a toleration whose value is its effect', 'odd Equal NoSchedule', 'odd Equal ***'],
    ['several taints', 'a=b:NoSchedule,c=d:NoExecute', 'a=***:NoSchedule,c=***:NoExecute'],
    ['a summary', 'tolerate type=hound:NoSchedule', 'tolerate type=***:NoSchedule'],
    [
      'a command that names a node like a value',
      'kubectl taint nodes hound-1 type=hound:NoSchedule-',
      'kubectl taint nodes hound-1 type=***:NoSchedule-',
    ],
    [
      "the scheduler's older format",
      '0/1 nodes are available: 1 node(s) had untolerated taint {example.com/pool: ml}.',
      '0/1 nodes are available: 1 node(s) had untolerated taint {example.com/pool: ***}.',
    ],
    ['a toleration in short', 'type Equal hound', 'type Equal ***'],
    ['a key and a value without an effect', 'type=hound.', 'type=***.'],
    [
      'a manifest',
      'tolerations:\n- key: unknown\n  operator: Equal\n  value: "secret of mine"\n  effect: NoSchedule\n',
      'tolerations:\n- key: unknown\n  operator: Equal\n  value: ***\n  effect: NoSchedule\n',
    ],
    [
      'an error of the API server',
      'spec.tolerations[0].value: Invalid value: "a \\"b\\" c": must be empty',
      'spec.tolerations[0].value: Invalid value: "***": must be empty',
    ],
    ['a value without its key', 'the hound of the pool', 'the hound of the pool'],
    ['a value inside a longer word', 'type: hounds and gpu-a100', 'type: hounds and gpu-a100'],
    ['a name', 'hound', 'hound'],
    ['a label selector', 'pool in (ml),tier=hound', 'pool in (ml),tier=hound'],
  ])('are masked: %s', (_, text, masked) => {
    expect(maskText(text, VALUES)).toBe(masked);
  });

  it('are parsed in linear time', () => {
    const used = processorTime();
    for (const part of ['a=', 'type ', '=', 'value: ', 'tolerations[0].value: Invalid value: "\\', 'taints[0]']) {
      maskText(part.repeat(100_000), VALUES);
    }
    expect(used()).toBeLessThan(20);
  });
});

describe('values that no API server would accept', () => {
  const maskValue = (value: string, text: string): string => maskText(text, new Map([['k', new Set([value])]]));
  it.each([
    ['a space', 'red hat', 'k=red hat:NoSchedule', 'k=***:NoSchedule'],
    ['a comma, without the key beside it', 'a,bc', 'it is a,bc here', 'it is *** here'],
    [
      'a quote, in a command',
      "it's",
      `kubectl taint nodes n 'k=it'\\''s:NoSchedule'`,
      `kubectl taint nodes n 'k=***:NoSchedule'`,
    ],
    ['a double quote, in JSON', 'a"b', 'value "a\\"b" is odd', 'value "***" is odd'],
    ['a double quote, in CSV', 'a"b', 'n,"k=a""b:NoSchedule"', 'n,"k=***:NoSchedule"'],
    ['a line', 'a\nb', 'value: "a\\nb"', 'value: "***"'],
    ['dashes around it', '-top-', 'k Equal -top-', 'k Equal ***'],
    ['the signs of a pattern', '(a+)+$[x]', 'k=(a+)+$[x]:NoExecute', 'k=***:NoExecute'],
    ['a single character in the place of a value', ',', 'k=,:NoSchedule, and more', 'k=***:NoSchedule, and more'],
    ['more characters than a label may have', 'x'.repeat(64), `it is ${'x'.repeat(64)}.`, 'it is ***.'],
  ])('are masked exactly: %s', (_, value, text, masked) => {
    expect(maskValue(value, text)).toBe(masked);
  });

  it('are masked beside invalid keys, and without a key', () => {
    expect(maskText('a key=plain:No', new Map([['a key', new Set(['plain'])]]))).toBe('a key=***:No');
    expect(maskText('tolerates plain things', new Map([['', new Set(['plain'])]]))).toBe('tolerates *** things');
  });
});

describe('objects', () => {
  const masked = (value: Parameters<typeof maskJson>[0]): unknown => {
    const values = new Map<string, Set<string>>();
    collectValues(value, values);
    return JSON.parse(JSON.stringify(maskJson(value, values)));
  };
  it.each([
    ['a taint', { key: 'a', value: 'b', effect: 'NoSchedule' }, { key: 'a', value: '***', effect: 'NoSchedule' }],
    ['a taint without a value', { key: 'a', value: '' }, { key: 'a', value: '' }],
    ['a key with its values', { key: 'a', values: ['b', 'c'] }, { key: 'a', values: ['***', '***'] }],
    [
      'a label requirement stays',
      { key: 'a', operator: 'In', values: ['b'] },
      { key: 'a', operator: 'In', values: ['b'] },
    ],
    [
      'a text beside the taint that it describes',
      { taint: { key: 'a', value: 'b' }, message: 'a is b here' },
      { taint: { key: 'a', value: '***' }, message: 'a is *** here' },
    ],
    [
      'a patch',
      { op: 'add', path: '/spec/taints', value: [{ key: 'a', value: 'b' }] },
      { op: 'add', path: '/spec/taints', value: [{ key: 'a', value: '***' }] },
    ],
    [
      'a patch that sets only a value',
      { op: 'replace', path: '/spec/taints/0/value', value: 'b' },
      { op: 'replace', path: '/spec/taints/0/value', value: '***' },
    ],
    [
      'an error about a field',
      { field: 'spec.taints[0].value', message: 'Invalid value: "b": no' },
      { field: 'spec.taints[0].value', message: 'Invalid value: "***": no' },
    ],
    ['a label called value', { labels: { value: 'b' } }, { labels: { value: 'b' } }],
    [
      'keys that are property names of prototypes',
      JSON.parse('{"__proto__":{"key":"a","value":"b"}}'),
      JSON.parse('{"__proto__":{"key":"a","value":"***"}}'),
    ],
  ])('%s', (_, value, expected) => {
    expect(masked(value as never)).toEqual(expected);
  });
});
