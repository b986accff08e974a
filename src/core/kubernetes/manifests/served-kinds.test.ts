import { describe, expect, it } from '@jest/globals';
import { rulesOfMinor, withGates } from '../kubernetes-rules.js';
import { servedVersionOf, versionToWrite } from './served-kinds.js';

const MINORS = [31, 32, 33, 34, 35, 36];

describe('the version of an API', () => {
  it('that is served to all', () => {
    expect(MINORS.map((minor) => servedVersionOf('ResourceClaim', rulesOfMinor(minor)))).toEqual([
      ...[undefined, undefined, undefined],
      ...['resource.k8s.io/v1', 'resource.k8s.io/v1', 'resource.k8s.io/v1'],
    ]);
    expect(servedVersionOf('Secret', rulesOfMinor(36))).toBeUndefined();
  });

  it('in which an object is written, also where it is served only if it is enabled', () => {
    const written = (gates: Readonly<Record<string, boolean>>): readonly (string | undefined)[] =>
      MINORS.map((minor) => versionToWrite('DeviceTaintRule', withGates(rulesOfMinor(minor), gates)));
    const versions = [
      ...[undefined, undefined],
      ...['resource.k8s.io/v1alpha3', 'resource.k8s.io/v1alpha3', 'resource.k8s.io/v1alpha3'],
      'resource.k8s.io/v1beta2',
    ];
    expect(written({})).toEqual(versions);
    expect(written({ DRADeviceTaintRules: true, DRADeviceTaints: true })).toEqual(versions);
  });
});
