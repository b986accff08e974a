import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../cluster/cluster-state.js';
import type { KubernetesObject } from '../../kubernetes/objects/meta.js';
import type { Node } from '../../kubernetes/objects/node.js';
import type { Pod, PodSpec } from '../../kubernetes/objects/pod.js';
import { DEFAULT_GATES } from '../../kubernetes/toleration.js';
import { DEFAULT_ARGUMENTS, type PluginArguments } from '../../placement/plugin-arguments.js';
import { nodeEvents, wakesAfterNodeChange } from './node-wakes.js';

type Parts = {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Node['spec'];
  readonly status?: Node['status'];
};
const node = ({ labels, annotations, spec, status }: Parts = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', ...(labels && { labels }), ...(annotations && { annotations }) },
  ...(spec && { spec }),
  status: { allocatable: { cpu: '2', memory: '4Gi', pods: '10' }, ...status },
});
const TAINTED = { taints: [{ key: 'a', effect: 'NoSchedule' }] } as const;
const ready = (status: string, lastHeartbeatTime: string): Node['status'] => ({
  conditions: [{ type: 'Ready', status, lastHeartbeatTime }],
});

describe('nodeEvents', () => {
  it.each<[string, Parts, Parts, readonly string[]]>([
    ['nothing', {}, {}, []],
    ['a label', {}, { labels: { a: '1' } }, ['UpdateNodeLabel']],
    ['a taint', {}, { spec: TAINTED }, ['UpdateNodeTaint']],
    ['a cordon, which is no event', {}, { spec: { unschedulable: true } }, []],
    ['the end of a cordon', { spec: { unschedulable: true } }, {}, ['UpdateNodeTaint']],
    ['an amount', {}, { status: { allocatable: { cpu: '3' } } }, ['UpdateNodeAllocatable']],
    [
      'an amount that is only written otherwise',
      {},
      { status: { allocatable: { cpu: '2000m', memory: '4096Mi', pods: '10' } } },
      [],
    ],
    ['a condition', { status: ready('True', '1') }, { status: ready('False', '1') }, ['UpdateNodeCondition']],
    ['only the heartbeat of a condition', { status: ready('True', '1') }, { status: ready('True', '2') }, []],
    ['an annotation', {}, { annotations: { a: '1' } }, ['UpdateNodeAnnotation']],
    ['a declared feature', {}, { status: { declaredFeatures: ['F'] } }, ['UpdateNodeDeclaredFeature']],
    ['a label and a taint', {}, { labels: { a: '1' }, spec: TAINTED }, ['UpdateNodeLabel', 'UpdateNodeTaint']],
  ])('finds %s', (_, before, after, events) => {
    expect([...nodeEvents(node(before), node(after))]).toEqual(events);
  });
});

const pod = (spec: Partial<PodSpec> = {}, cpu?: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'd', labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', ...(cpu !== undefined && { resources: { requests: { cpu } } }) }], ...spec },
});
interface Case {
  readonly pod?: Pod;
  readonly args?: Partial<PluginArguments>;
  readonly others?: readonly KubernetesObject[];
}

function wakes(refusedBy: string | readonly string[], before: Parts, after: Parts, given: Case = {}): boolean {
  const names = new Set(typeof refusedBy === 'string' ? [refusedBy] : refusedBy);
  return wakesAfterNodeChange(names, {
    state: ClusterState.build([node(before), ...(given.others ?? [])], ['Node', 'Pod', 'DeviceClass', 'Service']),
    pod: given.pod ?? pod(),
    profile: { args: { ...DEFAULT_ARGUMENTS, ...given.args }, gates: DEFAULT_GATES },
    before: node(before),
    after: node(after),
  });
}

const labelled = (value: string): Parts => ({ labels: { zone: value } });
const inZone = pod({ nodeSelector: { zone: 'a' } });
const term = (topologyKey: string) => ({ labelSelector: { matchLabels: { app: 'web' } }, topologyKey });
const near = pod({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('zone')] } } });
const far = pod({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('zone')] } } });
const constraint = { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' };
const spread = pod({ topologySpreadConstraints: [{ ...constraint, labelSelector: { matchLabels: { app: 'web' } } }] });
const cpus = (cpu: string, more: Readonly<Record<string, string>> = {}): Parts => ({
  status: { allocatable: { cpu, memory: '4Gi', pods: '10', ...more } },
});

describe('wakesAfterNodeChange', () => {
  it.each<[string, boolean, Parts, Parts, Case?]>([
    ['NodeAffinity', true, {}, labelled('a'), { pod: inZone }],
    ['NodeAffinity', false, {}, labelled('b'), { pod: inZone }],
    ['NodeAffinity', false, labelled('a'), { labels: { zone: 'a', more: '1' } }, { pod: inZone }],
    ['TaintToleration', true, { spec: TAINTED }, {}],
    ['TaintToleration', false, {}, { spec: TAINTED }],
    ['TaintToleration', false, {}, { labels: { a: '1' } }],
    ['TaintToleration', false, { spec: { taints: [{ key: 'a', effect: 'PreferNoSchedule' }] } }, {}],
    [
      'TaintToleration',
      false,
      { spec: TAINTED },
      {},
      { pod: pod({ tolerations: [{ key: 'a', operator: 'Exists' }] }) },
    ],
    ['NodeUnschedulable', true, { spec: { unschedulable: true } }, {}],
    ['NodeUnschedulable', false, { spec: TAINTED }, {}],
    ['NodeResourcesFit', true, cpus('2'), cpus('3'), { pod: pod({}, '2500m') }],
    ['NodeResourcesFit', false, cpus('2'), cpus('3'), { pod: pod({}, '4') }],
    ['NodeResourcesFit', false, cpus('3'), cpus('2'), { pod: pod({}, '1') }],
    ['NodeResourcesFit', false, cpus('2'), cpus('3')],
    ['NodeResourcesFit', true, cpus('2'), cpus('2', { pods: '11' })],
    ['NodeResourcesFit', false, cpus('2'), cpus('2', { 'example.com/gpu': '1' }), { pod: pod({}, '1') }],
    ['NodeResourcesFit', false, {}, { labels: { poke: '1' } }],
    ['InterPodAffinity', true, labelled('a'), labelled('b'), { pod: near }],
    ['InterPodAffinity', true, {}, labelled('b'), { pod: near }],
    ['InterPodAffinity', false, labelled('a'), {}, { pod: near }],
    ['InterPodAffinity', true, labelled('a'), {}, { pod: far }],
    ['InterPodAffinity', true, labelled('a'), labelled('b'), { pod: far }],
    ['InterPodAffinity', false, {}, labelled('a'), { pod: far }],
    ['InterPodAffinity', false, {}, { labels: { other: '1' } }, { pod: near }],
    ['PodTopologySpread', true, labelled('a'), labelled('b'), { pod: spread }],
    ['PodTopologySpread', true, labelled('a'), {}, { pod: spread }],
    ['PodTopologySpread', true, labelled('a'), { ...labelled('a'), spec: TAINTED }, { pod: spread }],
    ['PodTopologySpread', false, {}, { spec: TAINTED }, { pod: spread }],
    ['PodTopologySpread', false, labelled('a'), { labels: { zone: 'a', other: '1' } }, { pod: spread }],
    ['NodeDeclaredFeatures', true, {}, { status: { declaredFeatures: ['F'] } }],
    ['VolumeBinding', true, {}, { labels: { a: '1' } }],
    ['VolumeZone', true, {}, { labels: { a: '1' } }],
    ['DynamicResources', true, cpus('2'), cpus('3')],
    ['NodePorts', false, {}, { labels: { a: '1' } }],
    ['NodeVolumeLimits', false, {}, { labels: { a: '1' }, spec: TAINTED }],
  ])('has a pod that %s refused tried again: %s', (plugin, expected, before, after, given = {}) => {
    expect(wakes(plugin, before, after, given)).toBe(expected);
  });

  it.each([
    'NodeAffinity',
    'NodeResourcesFit',
    'InterPodAffinity',
    'NodeDeclaredFeatures',
    'NodeName',
    'NodePorts',
    'VolumeRestrictions',
    'VolumeBinding',
    'VolumeZone',
    'DynamicResources',
  ])('has a pod that %s refused tried again after any change of taints', (plugin) => {
    expect(wakes(plugin, {}, { spec: TAINTED }, { pod: pod({ nodeSelector: { zone: 'a' } }, '9') })).toBe(true);
  });

  it('asks for what the scheduler itself requires of nodes first', () => {
    const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'Exists' as const }] }] };
    const addedAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
    const given = { pod: inZone, args: { nodeAffinity: { addedAffinity } } };
    expect(wakes('NodeAffinity', {}, labelled('a'), given)).toBe(false);
    expect(wakes('NodeAffinity', {}, { labels: { zone: 'a', pool: 'x' } }, given)).toBe(true);
  });

  it('has a pod tried again that asks for a device under the name of a resource, once it fits otherwise', () => {
    const deviceClass = {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'DeviceClass',
      metadata: { name: 'gpu' },
      spec: { extendedResourceName: 'example.com/gpu' },
    } as KubernetesObject;
    const asking = pod();
    const [container] = asking.spec.containers;
    const resources = { requests: { cpu: '1', 'example.com/gpu': '1' } };
    const given = { pod: { ...asking, spec: { containers: [{ ...container!, resources }] } } };
    const change = [cpus('2'), cpus('2', { memory: '5Gi' })] as const;
    expect(wakes('NodeResourcesFit', ...change, { ...given, others: [deviceClass] })).toBe(true);
    expect(wakes('NodeResourcesFit', ...change, given)).toBe(false);
  });

  it("counts a profile's own constraints for pods without any, by the Services that select them", () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's', namespace: 'd' },
      spec: { selector: { app: 'web' } },
    } as KubernetesObject;
    const podTopologySpread = { defaultingType: 'List' as const, defaultConstraints: [constraint] };
    const given = { args: { podTopologySpread } as unknown as Partial<PluginArguments>, others: [service] };
    expect(wakes('PodTopologySpread', labelled('a'), labelled('b'), given)).toBe(true);
    expect(wakes('PodTopologySpread', labelled('a'), labelled('b'))).toBe(false);
  });

  it('asks every filter that refused the pod, and any event will do after an error', () => {
    expect(wakes(['NodeUnschedulable', 'TaintToleration'], { spec: TAINTED }, {})).toBe(true);
    expect(wakes([], {}, { annotations: { a: '1' } })).toBe(true);
    expect(wakes([], {}, {})).toBe(false);
  });
});
