import { describe, expect, it } from '@jest/globals';
import { allNodes } from '../../cluster/all-nodes.js';
import { ClusterState } from '../../cluster/cluster-state.js';
import type { KubernetesObject } from '../../kubernetes/objects/meta.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type { Pod, PodSpec } from '../../kubernetes/objects/pod.js';
import { evaluatePlacement } from '../evaluate-placement.js';
import { groupNodes } from '../node-groups.js';
import { PodTrials } from './pod-trials.js';
import { stepSmallestFixes } from './smallest-fixes.js';
import { finish } from '../../collections/finish.js';

const smallestFixes = (...given: Parameters<typeof stepSmallestFixes>) => finish(stepSmallestFixes(...given));

const node = (
  name: string,
  spec: Node['spec'] = {},
  cpu = '4',
  labels: Readonly<Record<string, string>> = {},
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } },
  spec,
  status: { allocatable: { cpu, memory: '8Gi', pods: '110' } },
});
const pod = (spec: Partial<PodSpec> = {}, metadata: Partial<Pod['metadata']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'd', ...metadata },
  spec: { containers: [{ name: 'c' }], ...spec },
});
const tainted = (...keys: readonly string[]): Node['spec'] => ({
  taints: keys.map((key) => ({ key, effect: 'NoSchedule' })),
});
const cpu = (amount: string): Partial<PodSpec> => ({
  containers: [{ name: 'c', resources: { requests: { cpu: amount } } }],
});

/** `object summaries: nodes` of each. */
const told = (asked: Pod, ...objects: readonly KubernetesObject[]): readonly string[] => {
  const state = ClusterState.build(objects, ['Node', 'Pod', 'Namespace', 'DeviceClass']);
  const placement = evaluatePlacement(state, { pod: asked });
  return smallestFixes(groupNodes(placement, allNodes(state)), new PodTrials(placement)).map(
    ({ object, changes, nodes }) =>
      `${object} ${changes.map(({ summary }) => summary).join(', ')}: ${nodes.map((index) => state.nodes.name(index)).join(' ')}`,
  );
};

describe('smallestFixes', () => {
  it('puts the fewest changes first, and of these what opens the most nodes', () => {
    const asked = pod(cpu('3'));
    expect(
      told(
        asked,
        node('a', tainted('x')),
        node('b', tainted('y')),
        node('c', tainted('y')),
        node('d', tainted('x', 'y')),
        node('e', {}, '2'),
      ),
    ).toEqual([
      'Pod tolerate y:NoSchedule: b c',
      'Node remove the taint y:NoSchedule: b c',
      'Pod tolerate x:NoSchedule: a',
      'Pod request 1 less cpu: 2 instead of 3: e',
      'Node remove the taint x:NoSchedule: a',
      'Pod tolerate x:NoSchedule, tolerate y:NoSchedule: a b c d',
      'Node remove the taint x:NoSchedule, remove the taint y:NoSchedule: d',
    ]);
  });

  it('leaves out what opens nothing more than fewer changes do', () => {
    // With x tolerated, d is feasible too: its other taint only makes it less attractive.
    const soft = {
      taints: [
        { key: 'x', effect: 'NoSchedule' },
        { key: 'y', effect: 'PreferNoSchedule' },
      ],
    };
    expect(told(pod(), node('a', tainted('x')), node('d', soft))).toEqual([
      'Pod tolerate x:NoSchedule: a d',
      'Node remove the taint x:NoSchedule: a d',
    ]);
  });

  it('lowers a request to what the nearest node has', () => {
    expect(told(pod(cpu('3')), node('a', {}, '2'), node('b', {}, '1'))).toEqual([
      'Pod request 1 less cpu: 2 instead of 3: a',
    ]);
  });

  it('says nothing of what its owner alone changes, or where nothing helps', () => {
    expect(told(pod(), node('a', tainted('node.kubernetes.io/not-ready')))).toEqual([]);
    expect(told(pod(), node('a'))).toEqual([]);
  });

  it('changes one node only where the constraints of the pod look at the others', () => {
    const constraint = {
      maxSkew: 1,
      topologyKey: 'kubernetes.io/hostname',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'w' } },
    };
    const asked = pod({ topologySpreadConstraints: [constraint] }, { labels: { app: 'w' } });
    expect(told(asked, node('a', tainted('x')), node('b', tainted('x')))).toEqual([
      'Pod tolerate x:NoSchedule: a b',
      'Node remove the taint x:NoSchedule: a',
    ]);
  });

  it('puts what needs another image behind what needs nothing else', () => {
    const arch = 'kubernetes.io/arch';
    const asked = pod({ nodeSelector: { [arch]: 'arm64' } });
    const arm64 = node('a', tainted('x'), '4', { [arch]: 'arm64' });
    const amd64 = ['b', 'c'].map((name) => node(name, {}, '4', { [arch]: 'amd64' }));
    expect(told(asked, arm64, ...amd64)).toEqual([
      'Pod tolerate x:NoSchedule: a',
      'Node remove the taint x:NoSchedule: a',
      `Pod select ${arch}=amd64: b c`,
    ]);
  });

  it('uncordons nodes, up to twenty', () => {
    const nodes = Array.from({ length: 25 }, (_, index) => node(`n${index}`, { unschedulable: true }));
    const [only, ...more] = told(pod(), ...nodes);
    expect(more).toEqual([]);
    expect(only).toMatch(/^Node uncordon the node: (n\d+ ?){20}$/);
  });
});

describe('smallestFixes of claims for devices', () => {
  const API = { apiVersion: 'resource.k8s.io/v1' } as const;
  const slice = (on: string, taint?: string): KubernetesObject =>
    ({
      ...API,
      kind: 'ResourceSlice',
      metadata: { name: on },
      spec: {
        driver: 'd',
        nodeName: on,
        pool: { name: on, generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'gpu', ...(taint !== undefined && { taints: [{ key: taint, effect: 'NoSchedule' }] }) }],
      },
    }) as KubernetesObject;
  const claim = (name: string, device?: string): KubernetesObject =>
    ({
      ...API,
      kind: 'ResourceClaim',
      metadata: { name, namespace: 'd', uid: name },
      spec: {
        devices: {
          requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } }],
        },
      },
      ...(device !== undefined && {
        status: {
          allocation: { devices: { results: [{ request: 'r', driver: 'd', pool: device, device: 'gpu' }] } },
        },
      }),
    }) as KubernetesObject;

  it('are those of each node that a toleration opens, although other nodes of its group have no device left', () => {
    const objects = [
      ...['a', 'b', 'c', 'd'].map((name) => node(name)),
      { ...API, kind: 'DeviceClass', metadata: { name: 'gpu' }, spec: {} } as KubernetesObject,
      ...[slice('a'), slice('b', 'worn'), slice('c', 'hot'), slice('d', 'hot')],
      ...[claim('holder', 'a'), claim('mine')],
    ];
    const asked = pod({ resourceClaims: [{ name: 'gpu', resourceClaimName: 'mine' }] });
    const kinds = ['Node', 'Pod', 'Namespace', 'DeviceClass', 'ResourceSlice', 'ResourceClaim'] as const;
    const state = ClusterState.build(objects, [...kinds, 'ResourceClaimTemplate']);
    const placement = evaluatePlacement(state, { pod: asked });
    const groups = groupNodes(placement, allNodes(state));
    expect(groups.map(({ nodes, nearest }) => [nodes.length, state.nodes.name(nearest)])).toEqual([[4, 'b']]);
    const opened = smallestFixes(groups, new PodTrials(placement)).map(({ object, changes, nodes }) => [
      object,
      ...changes.map(({ summary }) => summary),
      ...nodes.map((index) => state.nodes.name(index)),
    ]);
    const tolerate = (taint: string): string => `tolerate ${taint}:NoSchedule in request r of ResourceClaim d/mine`;
    expect(opened).toEqual([
      ['Claim', tolerate('hot'), 'c', 'd'],
      ['Claim', tolerate('worn'), 'b'],
    ]);
  });

  it('pauses after each change that is tried, and while it is evaluated', () => {
    const blue = node('blue', tainted('a'), '2');
    const red = node('red', tainted('b'), '1');
    const state = ClusterState.build([blue, red], ['Node', 'Pod', 'Namespace', 'DeviceClass']);
    const placement = evaluatePlacement(state, { pod: pod(cpu('1')) });
    const steps = stepSmallestFixes(groupNodes(placement, allNodes(state)), new PodTrials(placement));
    let paused = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) paused++;
    expect(step.value.length).toBeGreaterThan(1);
    // Each filter of each evaluation is a pause.
    expect(paused).toBeGreaterThan(step.value.length * placement.plugins.length);
  });
});
