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

describe('a field of scheduling whose gate is off', () => {
  const term = { topologyKey: 'zone', labelSelector: {}, matchLabelKeys: ['a'], mismatchLabelKeys: ['b'] };
  const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' } as const;
  const spec: WholePodSpec = {
    containers: [{ name: 'c' }],
    initContainers: [{ name: 's', restartPolicy: 'Always' }],
    affinity: {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] },
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }] },
    },
    topologySpreadConstraints: [
      { ...constraint, matchLabelKeys: ['a'], nodeAffinityPolicy: 'Ignore', nodeTaintsPolicy: 'Honor' },
    ],
  };
  const of = (gates: Readonly<Record<string, boolean>>, minor = 32, stored?: WholePodSpec): WholePodSpec =>
    dropDisabledFields(spec, withGates(rulesOfMinor(minor), gates), stored);
  const plain = { topologyKey: 'zone', labelSelector: {} };

  it('is dropped, unless the pod has it', () => {
    expect(of({})).toEqual(spec);
    expect(of({ MatchLabelKeysInPodAffinity: false }).affinity).toEqual({
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [plain] },
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: plain }] },
    });
    expect(of({ MatchLabelKeysInPodTopologySpread: false }, 36).topologySpreadConstraints).toEqual([
      { ...constraint, nodeAffinityPolicy: 'Ignore', nodeTaintsPolicy: 'Honor' },
    ]);
    expect(of({ NodeInclusionPolicyInPodTopologySpread: false }).topologySpreadConstraints).toEqual([
      { ...constraint, matchLabelKeys: ['a'] },
    ]);
    expect(of({ SidecarContainers: false }).initContainers).toEqual([{ name: 's' }]);
    const all = {
      MatchLabelKeysInPodAffinity: false,
      MatchLabelKeysInPodTopologySpread: false,
      NodeInclusionPolicyInPodTopologySpread: false,
      SidecarContainers: false,
    };
    expect(of(all, 32, spec)).toEqual(spec);
    // Locked since 1.33, but for the keys of spread constraints.
    expect(of({ ...all, MatchLabelKeysInPodTopologySpread: true }, 33)).toEqual(spec);
  });
});
