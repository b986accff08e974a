import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { FieldPath } from '../kubernetes/field-path.js';
import { rulesOfMinor } from '../kubernetes/kubernetes-rules.js';
import type { KubernetesObject, Labels } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { PodSpec } from '../kubernetes/objects/pod.js';
import type { Taint, Toleration } from '../kubernetes/objects/taints.js';
import { gatesOf } from '../kubernetes/toleration.js';
import type { Finding } from './finding.js';
import { findManifestFindings, type PodManifest } from './find-manifest-findings.js';

const node = (name: string, taints: readonly Taint[] = [], labels: Labels = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
  spec: { taints },
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
});

const cluster = (...objects: KubernetesObject[]): ClusterState =>
  ClusterState.build(objects, ['Node', 'Pod', 'PodDisruptionBudget']);

const pod = (tolerations: readonly Toleration[], spec: Partial<PodSpec> = {}): PodManifest => ({
  metadata: { name: 'p', namespace: 'team', labels: { app: 'web' } },
  spec: { containers: [{ name: 'c' }], tolerations, ...spec },
});

const codes = (findings: readonly Finding[]): readonly string[] => findings.map(({ code }) => code);

const of = (findings: readonly Finding[], code: Finding['code']): Finding | undefined =>
  findings.find((finding) => finding.code === code);

const taint = (key: string, value: string, effect: string): Taint => ({ key, value, effect });

describe('findings on a manifest alone', () => {
  it('are empty for a pod without tolerations', () => {
    expect(findManifestFindings(pod([]))).toEqual([]);
  });

  it('report that Exists without key and effect tolerates everything, cordons included', () => {
    const findings = findManifestFindings(pod([{ operator: 'Exists' }]));
    expect(codes(findings)).toEqual(['tolerates-everything']);
    expect(findings[0]).toMatchObject({
      severity: 'warning',
      subject: { kind: 'Pod', namespace: 'team', name: 'p' },
      field: 'spec.tolerations[0]',
      pointer: '/spec/tolerations/0',
    });
    expect(findings[0]?.message).toContain('tolerates everything, cordons included');
  });

  it('report this as info for a DaemonSet, and point into its template', () => {
    const findings = findManifestFindings(pod([{ operator: 'Exists' }]), undefined, {
      workload: { kind: 'DaemonSet', namespace: 'team', name: 'agent' },
      path: FieldPath.of('spec', 'template', 'spec'),
    });
    expect(findings).toMatchObject([
      { severity: 'info', subject: { name: 'agent' }, pointer: '/spec/template/spec/tolerations/0' },
    ]);
  });

  it('report Exists with only an effect as broad', () => {
    const finding = of(findManifestFindings(pod([{ operator: 'Exists', effect: 'NoSchedule' }])), 'broad-toleration');
    expect(finding?.message).toMatch(/^Operator Exists without a key matches every taint with effect NoSchedule/);
  });

  it('name the effects that an empty effect matches', () => {
    const findings = findManifestFindings(pod([{ key: 'gpu', operator: 'Exists' }]));
    expect(of(findings, 'empty-effect')).toMatchObject({
      severity: 'info',
      suggestions: [{ toleration: { key: 'gpu', operator: 'Exists', effect: 'NoSchedule' } }],
    });
  });

  it('report that a toleration permits but does not attract, unless the pod selects', () => {
    const fpga: Toleration = { key: 'hardware', operator: 'Equal', value: 'fpga', effect: 'NoSchedule' };
    expect(of(findManifestFindings(pod([fpga])), 'pool-not-selected')?.message).toMatch(/permits but does not attract/);
    expect(findManifestFindings(pod([fpga], { nodeSelector: { hardware: 'fpga' } }))).toEqual([]);
  });

  it.each<[string, Toleration, string, string, readonly Toleration[]]>([
    [
      'a value beside Exists',
      { key: 'k', operator: 'Exists', value: 'v', effect: 'NoSchedule' },
      'spec.tolerations[0].operator',
      "value must be empty when `operator` is 'Exists'",
      [
        { key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' },
        { key: 'k', operator: 'Exists', effect: 'NoSchedule' },
      ],
    ],
    [
      'tolerationSeconds without NoExecute',
      { key: 'k', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 3 },
      'spec.tolerations[0].effect',
      "effect must be 'NoExecute' when `tolerationSeconds` is set",
      [
        { key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 },
        { key: 'k', operator: 'Exists', effect: 'NoSchedule' },
      ],
    ],
    [
      'an operator in the wrong case',
      { key: 'k', operator: 'exists', effect: 'NoSchedule' },
      'spec.tolerations[0].operator',
      'supported values: "Equal", "Exists"',
      [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }],
    ],
    [
      'an effect in the wrong case',
      { key: 'k', operator: 'Exists', effect: 'noSchedule' },
      'spec.tolerations[0].effect',
      'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }],
    ],
    [
      'no key and no Exists',
      { value: 'v', effect: 'NoSchedule' },
      'spec.tolerations[0].operator',
      'when `key` is empty',
      [],
    ],
    ['Gt while its gate is off', { key: 'k', operator: 'Gt', value: '1' }, 'spec.tolerations[0].operator', '"Gt"', []],
  ])('explains that the API server refuses %s', (_, toleration, field, words, ways) => {
    const error = of(findManifestFindings(pod([toleration])), 'refused-by-api-server');
    expect(error).toMatchObject({ severity: 'error', field });
    expect(error?.message).toContain(words);
    const proposed = error?.suggestions.flatMap((suggestion) => suggestion.toleration ?? []) ?? [];
    expect(proposed).toEqual(ways);
    for (const way of proposed) {
      expect(codes(findManifestFindings(pod([way])))).not.toContain('refused-by-api-server');
    }
  });

  it('quote the API server of the version', () => {
    const refused = pod([{ key: 'k', operator: 'Exists', value: 'v', effect: 'NoSchedule' }]);
    const [error] = findManifestFindings(refused, undefined, { gates: gatesOf(rulesOfMinor(31)) });
    expect(error?.message).toContain('Invalid value: core.Toleration{Key:"k", Operator:"Exists", Value:"v"');
  });

  it('point to the index of the refused toleration in the whole list', () => {
    const good: Toleration = { key: 'k', operator: 'Exists', effect: 'NoSchedule' };
    const [error] = findManifestFindings(pod([good, { key: 'b a d', operator: 'Exists', effect: 'NoSchedule' }]));
    expect(error).toMatchObject({ code: 'refused-by-api-server', field: 'spec.tolerations[1].key' });
    expect(error?.message).toContain('spec.tolerations[1].key: Invalid value');
  });

  it.each([
    ['node.alpha.kubernetes.io/notReady', 'node.kubernetes.io/not-ready'],
    ['node.alpha.kubernetes.io/unreachable', 'node.kubernetes.io/unreachable'],
    ['node.kubernetes.io/out-of-disk', 'node.kubernetes.io/disk-pressure'],
  ])('report that %s is now a plain string, replaced by %s', (key, replacedBy) => {
    const findings = findManifestFindings(pod([{ key, operator: 'Exists', effect: 'NoExecute' }]));
    expect(codes(findings)).toEqual(['legacy-key']);
    expect(findings[0]?.message).toMatch(/now a plain string/);
    expect(findings[0]?.suggestions[0]?.toleration?.key).toBe(replacedBy);
  });

  describe('of several tolerations', () => {
    const timed = (seconds: number): Toleration => ({
      key: 'node.kubernetes.io/unreachable',
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: seconds,
    });
    const endless: Toleration = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' };
    const keyless: Toleration = { operator: 'Exists', effect: 'NoExecute' };
    const specific: Toleration = { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' };

    it.each<[string, readonly Toleration[], string | undefined, string | undefined]>([
      ['the same twice', [specific, specific], 'duplicate-toleration', 'info'],
      [
        'an empty operator and Equal',
        [specific, { key: 'a', value: 'b', effect: 'NoSchedule' }],
        'duplicate-toleration',
        'info',
      ],
      ['the same with other seconds', [timed(10), timed(20)], 'duplicate-toleration', 'warning'],
      [
        'one that a wider one before it covers',
        [{ key: 'a', operator: 'Exists' }, specific],
        'redundant-toleration',
        'info',
      ],
      [
        'one that a wider one behind it covers',
        [specific, { key: 'a', operator: 'Exists' }],
        'redundant-toleration',
        'info',
      ],
      ['seconds behind a wider endless one', [keyless, timed(10)], 'redundant-toleration', 'warning'],
      ['seconds before a wider endless one', [timed(10), keyless], undefined, undefined],
      ['two values of a key', [specific, { ...specific, value: 'c' }], undefined, undefined],
      ['two effects of a key', [specific, { ...specific, effect: 'NoExecute' }], undefined, undefined],
      ['an endless one alone', [endless], undefined, undefined],
    ])('%s: %#', (_, tolerations, code, severity) => {
      const found = findManifestFindings(pod(tolerations)).filter((finding) =>
        ['duplicate-toleration', 'redundant-toleration'].includes(finding.code),
      );
      expect(found.map((finding) => [finding.code, finding.severity])).toEqual(
        code === undefined ? [] : [[code, severity]],
      );
    });
  });

  it('report a toleration that blocks the default of admission without matching', () => {
    const blocker: Toleration = { key: 'node.kubernetes.io/unreachable', value: 'x', effect: 'NoExecute' };
    expect(of(findManifestFindings(pod([blocker])), 'default-toleration-blocked')).toMatchObject({
      severity: 'warning',
      field: 'spec.tolerations[0]',
      suggestions: [{ toleration: { key: blocker.key, operator: 'Exists', effect: 'NoExecute' } }],
    });
  });

  it('treat prototype names as plain strings', () => {
    const findings = findManifestFindings(
      pod([{ key: 'constructor', operator: 'Exists', effect: 'NoSchedule' }]),
      cluster(),
    );
    expect(codes(findings)).toEqual(['unmatched-toleration']);
  });
});

describe('findings on a manifest compared with a cluster', () => {
  const gpu = { pool: 'gpu', accelerator: 'a100' };
  const state = cluster(
    node('plain-1'),
    node('plain-2', [], { accelerator: 'none' }),
    node('gpu-1', [taint('dedicated', 'gpu', 'NoSchedule')], gpu),
    node('gpu-2', [taint('dedicated', 'gpu', 'NoSchedule')], gpu),
  );
  const tolerate = (key: string, value: string, effect: string): Toleration => ({
    key,
    operator: 'Equal',
    value,
    effect,
  });

  it.each<[string, Toleration, string]>([
    ['another value', tolerate('dedicated', 'cpu', 'NoSchedule'), 'the value differs.'],
    ['a value in another case', tolerate('dedicated', 'GPU', 'NoSchedule'), 'the value differs in case.'],
    ['another effect', tolerate('dedicated', 'gpu', 'NoExecute'), 'the effect differs.'],
    ['a key in another case', tolerate('Dedicated', 'gpu', 'NoSchedule'), 'the key differs in case.'],
    ['a misspelt key', tolerate('dedciated', 'gpu', 'NoSchedule'), 'the key is spelled differently.'],
    [
      'a value and an effect that differ',
      tolerate('dedicated', 'x', 'NoExecute'),
      'the value differs, and the effect differs.',
    ],
  ])('name the most similar taint for %s', (_, toleration, difference) => {
    const finding = of(findManifestFindings(pod([toleration]), state), 'unmatched-toleration');
    expect(finding).toMatchObject({
      severity: 'warning',
      suggestions: [{ toleration: tolerate('dedicated', 'gpu', 'NoSchedule') }],
    });
    expect(finding?.message).toContain(`The most similar one is dedicated=gpu:NoSchedule (on 2 nodes): ${difference}`);
  });

  it('name a well-known key that is misspelled, even if no node carries it', () => {
    const finding = of(
      findManifestFindings(pod([{ key: 'nvidia.com/gpus', operator: 'Exists', effect: 'NoSchedule' }]), state),
      'unmatched-toleration',
    );
    expect(finding?.suggestions[0]?.toleration?.key).toBe('nvidia.com/gpu');
  });

  it('report a toleration without a similar taint as info', () => {
    const findings = findManifestFindings(pod([tolerate('spot', 'true', 'NoSchedule')]), state);
    expect(findings).toMatchObject([{ code: 'unmatched-toleration', severity: 'info' }]);
  });

  it.each(['node.kubernetes.io/not-ready', 'ToBeDeletedByClusterAutoscaler'])(
    'says nothing of %s, which comes and goes',
    (key) => {
      expect(findManifestFindings(pod([{ key, operator: 'Exists', effect: 'NoSchedule' }]), state)).toEqual([]);
    },
  );

  it('suggest the labels that all and only the nodes of a tolerated pool carry', () => {
    const finding = of(
      findManifestFindings(pod([tolerate('dedicated', 'gpu', 'NoSchedule')]), state),
      'pool-not-selected',
    );
    expect(finding?.message).toContain('2 nodes carry dedicated=gpu:NoSchedule');
    expect(finding?.message).toContain('can also run on other nodes, such as plain-1');
    expect(finding?.suggestions.map(({ nodeSelector }) => nodeSelector)).toEqual([
      { pool: 'gpu' },
      { accelerator: 'a100' },
    ]);
  });

  it.each<[string, Partial<PodSpec>, boolean]>([
    ['selects the pool', { nodeSelector: { pool: 'gpu' } }, false],
    ['selects something wider', { nodeSelector: { 'kubernetes.io/hostname': 'plain-1' } }, true],
    [
      'requires the pool by affinity',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['gpu'] }] }],
            },
          },
        },
      },
      false,
    ],
  ])('a pod that %s', (_, spec, found) => {
    const findings = findManifestFindings(pod([tolerate('dedicated', 'gpu', 'NoSchedule')], spec), state);
    expect(codes(findings).includes('pool-not-selected')).toBe(found);
  });

  it('report that no label marks the pool', () => {
    const unmarked = cluster(
      node('a', [taint('x', '', 'NoSchedule')]),
      node('b', [taint('x', '', 'NoSchedule')]),
      node('c'),
    );
    const findings = findManifestFindings(pod([{ key: 'x', operator: 'Exists', effect: 'NoSchedule' }]), unmarked);
    expect(of(findings, 'pool-not-selected')?.suggestions[0]?.text).toMatch(/^No label is on all/);
  });

  it('warn of an empty effect if the cluster uses the key with several', () => {
    const both = cluster(node('a', [taint('x', 'y', 'NoSchedule'), taint('x', 'y', 'NoExecute')]));
    const finding = of(findManifestFindings(pod([{ key: 'x', operator: 'Exists' }]), both), 'empty-effect');
    expect(finding).toMatchObject({ severity: 'warning' });
    expect(finding?.message).toContain('In this cluster it matches NoSchedule and NoExecute.');
  });

  describe('on silent nodes', () => {
    const guarded = cluster(node('a'), {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web-pdb', namespace: 'team' },
      spec: { selector: { matchLabels: { app: 'web' } } },
    } as KubernetesObject);
    const unreachable = (seconds?: number | bigint): Toleration => ({
      key: 'node.kubernetes.io/unreachable',
      operator: 'Exists',
      effect: 'NoExecute',
      ...(seconds === undefined ? {} : { tolerationSeconds: seconds }),
    });
    const notReady = (seconds: number): Toleration => ({
      ...unreachable(seconds),
      key: 'node.kubernetes.io/not-ready',
    });
    const early = (tolerations: readonly Toleration[]): Finding | undefined =>
      of(findManifestFindings(pod(tolerations), guarded), 'early-eviction');

    it("assume admission's 300 seconds for a guarded pod without tolerations", () => {
      expect(early([])).toMatchObject({ severity: 'info', budgets: ['team/web-pdb'] });
      expect(early([])?.message).toContain('A PodDisruptionBudget selects the pod');
      expect(early([notReady(300), unreachable(300)])).toMatchObject({ severity: 'info' });
    });

    it('warn that not-ready keeps 300 seconds if only unreachable is tolerated for 6000', () => {
      for (const tolerations of [[unreachable(6000)], [unreachable(6000), notReady(300)]]) {
        const finding = early(tolerations);
        expect(finding).toMatchObject({ severity: 'warning' });
        expect(finding?.message).toContain('for 6000 seconds, but node.kubernetes.io/not-ready for 300 seconds');
        expect(finding?.suggestions[0]?.toleration).toEqual(notReady(6000));
      }
    });

    it('warn if a legacy key requests the longer stay', () => {
      const legacy: Toleration = { ...unreachable(6000), key: 'node.alpha.kubernetes.io/unreachable' };
      expect(early([legacy])?.severity).toBe('warning');
    });

    it('keep seconds beyond the safe integers exact', () => {
      expect(early([unreachable(9223372036854775807n)])?.message).toContain('9223372036854775807 seconds');
    });

    it('are empty if both stays are equally long, or unlimited', () => {
      expect(early([unreachable(6000), notReady(6000)])).toBeUndefined();
      expect(early([{ operator: 'Exists', effect: 'NoExecute' }])).toBeUndefined();
    });

    it('ignore a pod that no budget selects', () => {
      expect(findManifestFindings(pod([unreachable(6000)]), cluster(node('a')))).toEqual([]);
    });
  });

  it('correct the documentation on memory pressure, for pods that request resources', () => {
    const pressed = cluster(node('a', [{ key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' }]));
    const burstable = pod([], { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] });
    expect(codes(findManifestFindings(burstable, pressed))).toEqual(['memory-pressure-not-tolerated']);
    expect(findManifestFindings(pod([]), pressed)).toEqual([]);
  });
});
