import { DEFAULT_RULES } from '../kubernetes-rules.js';
import { gatesOf } from '../toleration.js';
import { describe, expect, it } from '@jest/globals';
import { FieldPath } from '../field-path.js';
import type { Toleration } from '../objects/taints.js';
import { validateTaints } from './taints.js';
import { validateTolerations } from './tolerations.js';

const path = FieldPath.of('t');
const lines = (errors: readonly { field: string; message: string }[]): string[] =>
  errors.map(({ field, message }) => `${field} ${message}`);
const complaints = (toleration: Toleration, comparisonOperators = false): string[] =>
  lines(validateTolerations([toleration], path, gatesOf(DEFAULT_RULES, comparisonOperators)));

describe('validateTolerations', () => {
  it.each<[string, Toleration, string[]]>([
    ['Exists alone', { operator: 'Exists' }, []],
    ['no operator and no value', { key: 'k' }, []],
    [
      'an empty key without Exists',
      {},
      [
        't[0].operator Invalid value: "": operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ],
    ],
    [
      'a value beside Exists',
      { operator: 'Exists', value: 'v' },
      ['t[0].operator Invalid value: "v": value must be empty when `operator` is \'Exists\''],
    ],
    [
      'a bad value, at the operator',
      { key: 'k', value: 'x'.repeat(64) },
      [`t[0].operator Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`],
    ],
    [
      'an unknown operator',
      { key: 'k', operator: 'In' },
      ['t[0].operator Unsupported value: "In": supported values: "Equal", "Exists"'],
    ],
    [
      'Gt with the gate off',
      { key: 'k', operator: 'Gt', value: '1' },
      ['t[0].operator Unsupported value: "Gt": supported values: "Equal", "Exists", "Lt", "Gt"'],
    ],
    [
      'seconds beside an unknown effect',
      { key: 'k', effect: 'x', tolerationSeconds: 0 },
      [
        't[0].effect Invalid value: "x": effect must be \'NoExecute\' when `tolerationSeconds` is set',
        't[0].effect Unsupported value: "x": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      ],
    ],
  ])('judges %s', (_name, toleration, want) => {
    expect(complaints(toleration)).toEqual(want);
  });

  it.each([
    ['-5', []],
    ['007', ['t[0].value Invalid value: "007": must be a valid decimal integer in canonical form']],
    [
      '',
      [
        't[0].value Invalid value: "": must be non-empty',
        't[0].value Invalid value: "": strconv.ParseInt: parsing "": invalid syntax',
      ],
    ],
    [
      '9223372036854775808',
      [
        't[0].value Invalid value: "9223372036854775808": strconv.ParseInt: parsing "9223372036854775808": value out of range',
      ],
    ],
  ])('validates %j with Lt, with the gate on', (value, want) => {
    expect(complaints({ key: 'k', operator: 'Lt', value }, true)).toEqual(want);
  });
});

describe('validateTaints', () => {
  it('refuses an absent, unknown or repeated effect of a key', () => {
    const taints = [
      { key: 'k', effect: '' },
      { key: 'k', effect: 'Never' },
      { key: 'k', effect: 'NoExecute', value: 'a' },
      { key: 'k', effect: 'NoSchedule' },
      { key: 'k', effect: 'NoExecute' },
    ];
    expect(lines(validateTaints(taints, path))).toEqual([
      't[0].effect Required value',
      't[1].effect Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      't[4] Duplicate value: {"Key":"k","Value":"","Effect":"NoExecute","TimeAdded":null}: taints must be unique by key and effect pair',
    ]);
  });

  it('shows the time of a repeated taint in UTC', () => {
    const taint = { key: 'k', effect: 'NoExecute', timeAdded: '2026-01-01T00:30:00.5+01:00' };
    expect(lines(validateTaints([taint, taint], path))).toEqual([
      't[1] Duplicate value: {"Key":"k","Value":"","Effect":"NoExecute","TimeAdded":"2025-12-31T23:30:00Z"}: taints must be unique by key and effect pair',
    ]);
  });
});
