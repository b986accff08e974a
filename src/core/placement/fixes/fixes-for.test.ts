import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../cluster/cluster-state.js';
import type { KubernetesObject } from '../../kubernetes/objects/meta.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type { Pod, PodSpec, ResourceRequirements } from '../../kubernetes/objects/pod.js';
import type { NodeSelectorTerm } from '../../kubernetes/objects/selectors.js';
import { evaluatePlacement } from '../evaluate-placement.js';
import type { NodeFixes } from './fix.js';
import { stepFixesFor } from './fixes-for.js';
import { PodTrials, validatedAgain } from './pod-trials.js';
import { finish } from '../../collections/finish.js';

const fixesFor = (...given: Parameters<typeof stepFixesFor>) => finish(stepFixesFor(...given));

const node = (name: string, spec: Node['spec'] = {}, labels: Readonly<Record<string, string>> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/hostname': name, ...labels } },
  spec,
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110', 'nvidia.com/gpu': '1', 'hugepages-2Mi': '4Mi' } },
});

const pod = (spec: Partial<PodSpec> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'd' },
  spec: { containers: [{ name: 'c' }], ...spec },
});

const using = (...resources: readonly ResourceRequirements[]): Partial<PodSpec> => ({
  containers: resources.map((one, index) => ({ name: `c${index}`, resources: one })),
});

const fixesOf = (asked: Pod, ...objects: readonly KubernetesObject[]): NodeFixes =>
  fixesFor(
    evaluatePlacement(ClusterState.build(objects, ['Node', 'Pod', 'Namespace', 'DeviceClass']), { pod: asked }),
    0,
  );

describe('a lower request', () => {
  it('of an extended resource brings its limit, which has to be equal', () => {
    const gpus = { 'nvidia.com/gpu': '2', cpu: '1' };
    const { pod: plan } = fixesOf(pod(using({ requests: gpus, limits: gpus })), node('n'));
    expect(plan).toMatchObject({ verdict: 'feasible', refusal: null, remaining: [] });
    expect(plan?.changes.map(({ yaml }) => yaml)).toEqual([
      'containers:\n- name: c0\n  resources:\n    requests:\n      nvidia.com/gpu: "1"\n    limits:\n      nvidia.com/gpu: "1"\n',
    ]);
    expect(plan?.changed.spec.containers[0]?.resources).toEqual({
      requests: { ...gpus, 'nvidia.com/gpu': '1' },
      limits: { ...gpus, 'nvidia.com/gpu': '1' },
    });
  });

  it('of huge pages brings the limit too, and one of cpu keeps it', () => {
    const pages = { 'hugepages-2Mi': '8Mi', cpu: '1' };
    const { pod: plan } = fixesOf(pod(using({ requests: pages, limits: pages })), node('n'));
    expect(plan).toMatchObject({ verdict: 'feasible' });
    expect(plan?.changed.spec.containers[0]?.resources?.limits).toEqual({ 'hugepages-2Mi': '4Mi', cpu: '1' });
    const cpu = fixesOf(pod(using({ requests: { cpu: '5' }, limits: { cpu: '6' } })), node('n')).pod;
    expect(cpu).toMatchObject({ verdict: 'feasible' });
    expect(cpu?.changed.spec.containers[0]?.resources).toEqual({ requests: { cpu: '4' }, limits: { cpu: '6' } });
  });

  it('shows each container that changes', () => {
    const { pod: plan } = fixesOf(
      pod(using({ requests: { cpu: '5' } }, { requests: { cpu: '6' } }, { requests: { cpu: '1' } })),
      node('n'),
    );
    expect(plan?.changes[0]?.yaml).toBe(
      'containers:\n- name: c1\n  resources:\n    requests:\n      cpu: "0"\n- name: c0\n  resources:\n    requests:\n      cpu: "3"\n',
    );
  });

  it('is not called feasible where the API server refuses it: the containers of the pod request more', () => {
    const asked = pod({ ...using({ requests: { cpu: '5' } }), resources: { requests: { cpu: '6' } } });
    expect(fixesOf(asked, node('n')).pod).toMatchObject({
      verdict: 'infeasible',
      remaining: [],
      refusal:
        'spec.resources.requests[cpu]: Invalid value: "4": must be greater than or equal to aggregate container requests of 5',
    });
  });
});

describe('what an owner puts back', () => {
  it.each([
    ['node.kubernetes.io/unreachable', 'NoSchedule'],
    ['node.kubernetes.io/unreachable', 'NoExecute'],
    ['node.kubernetes.io/not-ready', 'NoExecute'],
    ['node.kubernetes.io/memory-pressure', 'NoSchedule'],
    ['node.kubernetes.io/disk-pressure', 'NoSchedule'],
    ['node.kubernetes.io/pid-pressure', 'NoSchedule'],
    ['node.kubernetes.io/network-unavailable', 'NoSchedule'],
    ['node.cloudprovider.kubernetes.io/uninitialized', 'NoSchedule'],
    ['ToBeDeletedByClusterAutoscaler', 'NoSchedule'],
    ['karpenter.sh/disrupted', 'NoSchedule'],
    ['startup-taint.cluster-autoscaler.kubernetes.io/cni', 'NoSchedule'],
  ])('the taint %s:%s is neither removed nor tolerated', (key, effect) => {
    const fixes = fixesOf(pod(), node('n', { taints: [{ key, effect }] }));
    expect(fixes).toMatchObject({ pod: null, node: null, owned: [{ kind: 'Taint', effect }] });
    expect(fixes.owned[0]?.key).toBe(key);
    expect(fixes.owned[0]?.changedBy).not.toBe('');
  });

  it('is said once, beside the changes for the rest', () => {
    const unreachable = 'node.kubernetes.io/unreachable';
    const taints = [
      { key: unreachable, effect: 'NoSchedule' },
      { key: 'gpu', value: 'true', effect: 'NoSchedule' },
    ];
    expect(fixesOf(pod(), node('n', { taints }))).toMatchObject({
      pod: { changes: [{ kind: 'AddToleration', toleration: { key: 'gpu' } }], verdict: 'infeasible' },
      node: { changes: [{ kind: 'RemoveTaint' }], verdict: 'infeasible' },
      owned: [
        {
          key: unreachable,
          setBy: 'the node lifecycle controller of kube-controller-manager',
          changedBy: 'the node lifecycle controller of kube-controller-manager, once Ready is no longer Unknown',
        },
      ],
    });
  });

  it('does not include a key that marks a kind of node, one of an early version, or another effect', () => {
    for (const taint of [
      { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
      { key: 'node.alpha.kubernetes.io/notReady', effect: 'NoExecute' },
      { key: 'node.kubernetes.io/memory-pressure', effect: 'NoExecute' },
    ]) {
      expect(fixesOf(pod(), node('n', { taints: [taint] }))).toMatchObject({
        pod: { verdict: 'feasible' },
        node: { verdict: 'feasible' },
        owned: [],
      });
    }
  });

  it.each([
    'kubernetes.io/os',
    'kubernetes.io/arch',
    'kubernetes.io/hostname',
    'topology.kubernetes.io/zone',
    'topology.kubernetes.io/region',
    'node.kubernetes.io/instance-type',
    'failure-domain.beta.kubernetes.io/zone',
  ])('the label %s is not set, for the selector or for affinity', (key) => {
    const bySelector = fixesOf(pod({ nodeSelector: { [key]: 'other' } }), node('n', {}, { [key]: 'own' }));
    expect(bySelector).toMatchObject({ pod: { verdict: 'feasible' }, node: null, owned: [{ kind: 'Label', key }] });
    const nodeSelectorTerms = [{ matchExpressions: [{ key, operator: 'In', values: ['other'] }] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
    expect(fixesOf(pod({ affinity }), node('n'))).toMatchObject({ node: null, owned: [{ kind: 'Label', key }] });
  });

  it('is no obstacle where a term without it can be met', () => {
    const expressions = [
      { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] },
      { key: 'disk', operator: 'In', values: ['ssd'] },
    ];
    const nodeSelectorTerms = expressions.map((one) => ({ matchExpressions: [one] }));
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
    expect(fixesOf(pod({ affinity }), node('n'))).toMatchObject({
      node: { changes: [{ kind: 'SetLabel', key: 'disk', value: 'ssd' }], verdict: 'feasible' },
      owned: [],
    });
  });
});

describe('a node of another architecture than the pod asks for', () => {
  const requiring = (...expressions: readonly object[]): Pod => {
    const nodeSelectorTerms = expressions.map((one) => ({ matchExpressions: [one] })) as NodeSelectorTerm[];
    return pod({
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
    });
  };
  const arm64 = { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] };
  const condition = 'needs images built for amd64';

  it('is opened by another selector or affinity, on the condition of an image that is built for it', () => {
    expect(fixesOf(pod({ nodeSelector: { 'kubernetes.io/arch': 'arm64' } }), node('n')).pod).toMatchObject({
      changes: [{ kind: 'SetNodeSelector', value: 'amd64', condition }],
      verdict: 'feasible',
    });
    expect(fixesOf(requiring(arm64), node('n')).pod).toMatchObject({
      changes: [{ kind: 'SetNodeAffinityTerm', condition }],
      verdict: 'feasible',
    });
  });

  it('is opened without one where another term of the affinity is as near', () => {
    const byDisk = fixesOf(requiring(arm64, { key: 'disk', operator: 'In', values: ['ssd'] }), node('n')).pod;
    expect(byDisk?.changes).toMatchObject([{ kind: 'SetNodeAffinityTerm', term: 1 }]);
    expect(byDisk?.changes[0]).not.toHaveProperty('condition');
  });
});

describe('a cordon', () => {
  const taints = [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }];

  it('is ended by kubectl uncordon, and not tolerated', () => {
    for (const spec of [{ unschedulable: true }, { unschedulable: true, taints }]) {
      expect(fixesOf(pod(), node('n', spec))).toMatchObject({
        pod: null,
        node: { changes: [{ kind: 'Uncordon', command: 'kubectl uncordon n' }], verdict: 'feasible' },
        owned: [],
      });
    }
  });

  it('that only its taint remembers is the business of the controller', () => {
    expect(fixesOf(pod(), node('n', { taints }))).toMatchObject({ pod: null, node: null, owned: [{ kind: 'Taint' }] });
  });
});

describe('a change of a node', () => {
  it('that the API server refuses is not called feasible', () => {
    const fixes = fixesOf(pod({ nodeSelector: { disk: 'a b' } }), node('n'));
    expect(fixes.node).toMatchObject({ changes: [{ kind: 'SetLabel' }], verdict: 'infeasible', remaining: [] });
    expect(fixes.node?.refusal).toContain('metadata.labels: Invalid value: "a b"');
  });
});

describe('a spread constraint', () => {
  const ZONE = 'topology.kubernetes.io/zone';
  const constraint = {
    maxSkew: 1,
    topologyKey: ZONE,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'w' } },
  };
  const asked: Pod = {
    ...pod({ topologySpreadConstraints: [constraint] }),
    metadata: { name: 'p', namespace: 'd', labels: { app: 'w' } },
  };
  const running = (name: string, nodeName: string): Pod => ({
    ...asked,
    metadata: { ...asked.metadata, name },
    spec: { ...asked.spec, nodeName },
  });
  const inZone = (name: string, zone: string, spec: Node['spec'] = {}): Node => node(name, spec, { [ZONE]: zone });

  it('leaves out tainted nodes, if that is enough', () => {
    const gpu = { taints: [{ key: 'gpu', effect: 'NoSchedule' }] };
    const { pod: plan } = fixesOf(asked, inZone('a', 'x'), inZone('b', 'y', gpu), running('r', 'a'));
    expect(plan).toMatchObject({
      verdict: 'feasible',
      changes: [
        {
          kind: 'ChangeTopologySpread',
          pointer: '/spec/topologySpreadConstraints/0/nodeTaintsPolicy',
          member: 'nodeTaintsPolicy',
          from: 'Ignore',
          to: 'Honor',
        },
      ],
    });
    expect(plan?.changes[0]?.yaml).toContain('nodeTaintsPolicy: Honor\n');
  });

  it('allows as much more skew as the node needs', () => {
    const { pod: plan } = fixesOf(asked, inZone('a', 'x'), inZone('b', 'y'), running('r', 'a'), running('s', 'a'));
    expect(plan).toMatchObject({
      verdict: 'feasible',
      changes: [{ kind: 'ChangeTopologySpread', member: 'maxSkew', from: '1', to: '3' }],
    });
    expect(plan?.changed.spec.topologySpreadConstraints).toMatchObject([{ ...constraint, maxSkew: 3 }]);
  });

  it('spreads over nodes where the node lacks the label', () => {
    expect(fixesOf(asked, node('a'), inZone('b', 'y')).pod).toMatchObject({
      verdict: 'feasible',
      changes: [{ kind: 'ChangeTopologySpread', member: 'topologyKey', from: ZONE, to: 'kubernetes.io/hostname' }],
    });
  });

  it('is not changed to what the API server refuses: the same key twice', () => {
    const two = [constraint, { ...constraint, topologyKey: 'kubernetes.io/hostname' }];
    const fixes = fixesOf(
      { ...asked, spec: { ...asked.spec, topologySpreadConstraints: two } },
      node('a'),
      inZone('b', 'y'),
    );
    expect(fixes.pod).toMatchObject({ verdict: 'infeasible', remaining: [] });
    expect(fixes.pod?.refusal).toContain('Duplicate value');
  });
});

describe('a toleration of a device taint', () => {
  const API = { apiVersion: 'resource.k8s.io/v1' } as const;
  const asked = pod({ resourceClaims: [{ name: 'gpu', resourceClaimName: 'mine' }] });
  const claimFor = (count: number): KubernetesObject =>
    ({
      ...API,
      kind: 'ResourceClaim',
      metadata: { name: 'mine', namespace: 'd', uid: 'mine' },
      spec: {
        devices: {
          requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count } }],
        },
      },
    }) as KubernetesObject;
  const objects = (count: number): readonly KubernetesObject[] => [
    claimFor(count),
    { ...API, kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} } as KubernetesObject,
    {
      ...API,
      kind: 'ResourceSlice',
      metadata: { name: 'slice' },
      spec: {
        driver: 'd.example.com',
        nodeName: 'n',
        pool: { name: 'n', generation: 1, resourceSliceCount: 1 },
        devices: [
          { name: 'a', taints: [{ key: 'worn', effect: 'NoSchedule' }] },
          { name: 'b', taints: [{ key: 'hot', effect: 'NoExecute' }] },
        ],
      },
    } as KubernetesObject,
  ];
  const claimFixesOf = (on: Node, count: number): NodeFixes['claim'] => {
    const kinds = ['Node', 'Pod', 'Namespace', 'DeviceClass', 'ResourceSlice', 'ResourceClaim'] as const;
    const all = [on, ...objects(count)];
    const state = ClusterState.build(all, [...kinds, 'ResourceClaimTemplate']);
    return fixesFor(evaluatePlacement(state, { pod: asked }), 0).claim;
  };
  const told = (fixes: NodeFixes['claim']): readonly string[] | undefined =>
    fixes?.changes.map(({ toleration: { key = '' } }) => key);

  it('is proposed for each taint that keeps too many devices from a claim', () => {
    expect(told(claimFixesOf(node('n'), 1))).toHaveLength(1);
    const both = claimFixesOf(node('n'), 2);
    expect(told(both)?.toSorted()).toEqual(['hot', 'worn']);
    expect(both).toMatchObject({ verdict: 'feasible', remaining: [] });
    expect(both?.changed).toHaveLength(1);
  });

  it('is not proposed where the node has too few devices', () => {
    expect(claimFixesOf(node('n'), 3)).toBeNull();
  });

  it('says what else keeps the pod off the node', () => {
    const off = node('n', { taints: [{ key: 'off', effect: 'NoSchedule' }] });
    expect(claimFixesOf(off, 1)).toMatchObject({ verdict: 'infeasible', remaining: [{ code: 'UntoleratedTaint' }] });
  });
});

it('the same change is admitted once, though each node of a small cluster calls for another one', () => {
  const names = Array.from({ length: 80 }, (_, index) => `n${index}`);
  const nodes = names.map((name, index) => node(name, { taints: [{ key: `t${index % 40}`, effect: 'NoSchedule' }] }));
  const placement = evaluatePlacement(ClusterState.build(nodes, ['Node', 'Pod', 'Namespace']), { pod: pod() });
  const readmit = validatedAgain(placement);
  let admitted = 0;
  const trials = new PodTrials(placement, (change) => {
    admitted += 1;
    return readmit(change);
  });
  const verdicts = names.map((_, index) => fixesFor(placement, index, trials).pod?.verdict);
  expect({ admitted, verdicts: new Set(verdicts) }).toEqual({ admitted: 40, verdicts: new Set(['feasible']) });
});
