import { describe, expect, it } from '@jest/globals';
import { DEFAULT_RULES } from './kubernetes-rules.js';
import { mergeLabelKeys, withUnmergedKeys } from './merge-label-keys.js';
import type { Pod } from './objects/pod.js';

const term = { topologyKey: 'z', matchLabelKeys: ['rev'], mismatchLabelKeys: ['tenant'] };
const spread = { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', matchLabelKeys: ['rev', 'none'] };
const labels = { rev: '3', tenant: 'a' };
const sent: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', labels },
  spec: {
    containers: [],
    affinity: {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...term, labelSelector: {} }] },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
      },
    },
    topologySpreadConstraints: [
      { ...spread, labelSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } },
    ],
  },
};
const stored: Pod = { ...sent, spec: mergeLabelKeys(sent.spec, labels, DEFAULT_RULES) };

describe('withUnmergedKeys', () => {
  it('gives the pod as it was sent', () => {
    expect(stored.spec.topologySpreadConstraints?.[0]?.labelSelector?.matchExpressions).toHaveLength(2);
    expect(withUnmergedKeys(stored)).toEqual(sent);
  });

  it('leaves what was not merged, and what was merged from other labels', () => {
    expect(withUnmergedKeys(sent)).toEqual(sent);
    const relabelled = { ...stored, metadata: { ...stored.metadata, labels: { rev: '4', tenant: 'b' } } };
    expect(withUnmergedKeys(relabelled)).toEqual(relabelled);
  });
});
