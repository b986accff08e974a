import { describe, expect, it } from '@jest/globals';
import type { Pod, PodSpec } from './objects/pod.js';
import { DEFAULT_RULES, rulesOf, rulesOfMinor } from './kubernetes-rules.js';
import { newestKubernetesVersion, parseKubernetesVersion, ruleDifferences, type RuleSubject } from './versions.js';

const pod = (spec: Partial<PodSpec>, status?: Pod['status']): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c' }], ...spec },
  ...(status === undefined ? {} : { status }),
});

/** The codes of the differences between a version and v1.36 that affect a question, oldest first. */
const touching = (version: string, question: RuleSubject): readonly string[] | undefined =>
  ruleDifferences(version, DEFAULT_RULES)
    ?.filter((difference) => difference.touches(question))
    .map(({ code }) => code);

describe('kubelet versions', () => {
  it.each([
    ['v1.33.5-eks-abc', { major: 1, minor: 33, patch: 5, suffix: 'eks-abc' }],
    ['v1.30.9-gke.1106000', { major: 1, minor: 30, patch: 9, suffix: 'gke.1106000' }],
    ['v1.29.4+k3s1', { major: 1, minor: 29, patch: 4, suffix: 'k3s1' }],
    ['1.36', { major: 1, minor: 36, patch: 0, suffix: '' }],
    ['v1.36.2', { major: 1, minor: 36, patch: 2, suffix: '' }],
  ])('reads %s', (text, version) => {
    expect(parseKubernetesVersion(text)).toEqual(version);
  });

  it.each(['', 'v1', 'one.two', 'v1.x', ' v1.36.0', '1.999999999999999999999.0'])('does not read %j', (text) => {
    expect(parseKubernetesVersion(text)).toBeUndefined();
    expect(ruleDifferences(text, DEFAULT_RULES)).toBeUndefined();
  });

  it('returns the newest by number, not by text, and skips invalid ones', () => {
    expect(newestKubernetesVersion(['v1.9.11', 'v1.33.5-eks-a', 'v1.33.10-eks-b', '?'])).toBe('v1.33.10-eks-b');
    expect(newestKubernetesVersion(['?'])).toBeUndefined();
  });
});

describe('ruleDifferences', () => {
  it('returns none for any patch release of 1.36', () => {
    expect(ruleDifferences('v1.36.0', DEFAULT_RULES)).toEqual([]);
    expect(ruleDifferences('v1.36.9-gke.1', DEFAULT_RULES)).toEqual([]);
  });

  it("returns none where the rules are those of the cluster's version", () => {
    for (const version of ['v1.31.2', 'v1.32.9', 'v1.33.1', 'v1.34.9', 'v1.35.0']) {
      const { major, minor, patch } = parseKubernetesVersion(version)!;
      expect(ruleDifferences(version, rulesOf({ major, minor, patch }))).toEqual([]);
    }
  });

  it('returns what lies between a cluster that is older than all rules and the oldest ones', () => {
    const codes = ruleDifferences('v1.28.3', rulesOfMinor(28))!.map(({ code }) => code);
    expect(codes).toEqual(['sidecar-containers', 'affinity-match-label-keys']);
  });

  it('returns the same for a cluster by newer rules and by older ones', () => {
    const newer = ruleDifferences('v1.33.1', rulesOfMinor(35))!.map(({ code }) => code);
    expect(ruleDifferences('v1.35.1', rulesOfMinor(33))!.map(({ code }) => code)).toEqual(newer);
    expect(newer).toContain('message-names-taint');
    expect(newer).not.toContain('balanced-allocation-score');
  });

  it('reports unknown changes for a newer cluster', () => {
    expect(touching('v1.37.0', { pod: pod({}) })).toEqual(['newer-than-rules']);
    expect(touching('v2.0.0', { pod: pod({}) })).toEqual(['newer-than-rules']);
  });

  it.each([
    ['v1.33.5', true],
    ['v1.34.0', true],
    ['v1.34.1-eks-x', true],
    ['v1.34.2', false],
    ['v1.34.7', false],
    ['v1.35.0', false],
  ])('%s names the taint in the scheduling message: %s', (version, named) => {
    const codes = touching(version, { pod: pod({}), untoleratedTaints: true });
    expect(codes?.includes('message-names-taint')).toBe(named);
    expect(touching(version, { pod: pod({}), untoleratedTaints: false })).not.toContain('message-names-taint');
  });

  it.each<[string, string, string, Pod]>([
    ['comparison-operators', 'v1.34.9', 'v1.35.0', pod({ tolerations: [{ key: 'sla', operator: 'Gt', value: '9' }] })],
    ['sidecar-containers', 'v1.28.3', 'v1.29.0', pod({ initContainers: [{ name: 's', restartPolicy: 'Always' }] })],
    ['pod-level-resources', 'v1.33.0', 'v1.34.0', pod({ resources: { requests: { cpu: '1' } } })],
    [
      'spread-match-label-keys',
      'v1.26.0',
      'v1.27.0',
      pod({
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', matchLabelKeys: ['pod-template-hash'] },
        ],
      }),
    ],
    [
      'spread-inclusion-policies',
      'v1.25.4',
      'v1.26.0',
      pod({
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', nodeTaintsPolicy: 'Honor' },
        ],
      }),
    ],
    [
      'affinity-match-label-keys',
      'v1.30.0',
      'v1.31.0',
      pod({
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, podAffinityTerm: { topologyKey: 'z', matchLabelKeys: ['pod-template-hash'] } },
            ],
          },
        },
      }),
    ],
    ['scheduling-gates', 'v1.26.0', 'v1.27.0', pod({ schedulingGates: [{ name: 'g' }] })],
    [
      'in-place-resize',
      'v1.32.0',
      'v1.33.0',
      pod({}, { containerStatuses: [{ name: 'c', allocatedResources: { cpu: '1' } }] }),
    ],
    ['dynamic-resource-allocation', 'v1.33.0', 'v1.34.0', pod({ resourceClaims: [{ name: 'gpu' }] })],
    [
      'dra-extended-resources',
      'v1.35.1',
      'v1.36.0',
      pod({ containers: [{ name: 'c', resources: { requests: { 'example.com/gpu': '1' } } }] }),
    ],
    [
      'declared-features',
      'v1.35.1',
      'v1.36.0',
      pod({ containers: [{ name: 'c', restartPolicyRules: [{ action: 'RestartAllContainers' }] }] }),
    ],
  ])('%s differs in %s, not in %s, and touches only a pod that uses it', (code, before, after, user) => {
    expect(touching(before, { pod: user })).toContain(code);
    expect(touching(before, { pod: pod({}) })).not.toContain(code);
    expect(touching(after, { pod: user })).not.toContain(code);
  });

  it('includes the score of balanced allocation only if nodes are scored', () => {
    expect(touching('v1.35.0', { pod: pod({}), scored: true })).toContain('balanced-allocation-score');
    expect(touching('v1.35.0', { pod: pod({}) })).not.toContain('balanced-allocation-score');
  });

  it('does not treat cpu, hugepages and other native resources as extended resources', () => {
    const native = pod({
      containers: [{ name: 'c', resources: { requests: { cpu: '1', 'hugepages-2Mi': '2Mi', memory: '1Gi' } } }],
    });
    expect(touching('v1.35.0', { pod: native })).not.toContain('dra-extended-resources');
  });
});
