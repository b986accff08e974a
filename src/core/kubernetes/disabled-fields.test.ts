import { describe, expect, it } from '@jest/globals';
import { dropDisabledFields } from './disabled-fields.js';
import { rulesOfMinor, withGates } from './kubernetes-rules.js';
import type { WholePodSpec } from './objects/whole-pod.js';

const GROUPS = { schedulingGroup: { podGroupName: 'g' }, workloadRef: { name: 'w', podGroup: 'g' } };
const SPEC: WholePodSpec = { containers: [{ name: 'c' }], ...GROUPS };

describe('the field that names the group of a pod', () => {
  const kept = (minor: number, gates: Readonly<Record<string, boolean>>, stored?: WholePodSpec): readonly string[] =>
    Object.keys(dropDisabledFields(SPEC, withGates(rulesOfMinor(minor), gates), stored)).filter(
      (name) => name in GROUPS,
    );

  it.each([
    [34, []],
    [35, ['workloadRef']],
    [36, ['schedulingGroup']],
  ])('is that of the version, with the gate GenericWorkload: 1.%i', (minor, fields) => {
    expect(kept(minor, { GenericWorkload: true })).toEqual(fields);
    expect(kept(minor, {})).toEqual([]);
    expect(kept(minor, {}, SPEC)).toEqual(fields);
  });
});
