import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { JsonObject } from '../json/json-value.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { applyScenario, stepScenario, type ScenarioSummary } from './apply-scenario.js';
import type { ScenarioChange } from './scenario.js';

const node = (name: string, rest: object = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { pool: name, 'kubernetes.io/hostname': name } },
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' }, capacity: { cpu: '4' } },
  ...rest,
});

const pod = (key: string, nodeName: string, owner?: string, rest: object = {}): Pod => {
  const [namespace = '', name = ''] = key.split('/');
  const controlled =
    owner === undefined
      ? {}
      : { ownerReferences: [{ apiVersion: 'apps/v1', kind: owner, name: 'owner', uid: 'u', controller: true }] };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: name }, ...controlled },
    spec: {
      ...(nodeName === '' ? {} : { nodeName }),
      containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }],
    },
    status: { phase: nodeName === '' ? 'Pending' : 'Running', startTime: '2026-01-01T00:00:00Z' },
    ...rest,
  };
};

const OBJECTS: readonly KubernetesObject[] = [
  node('a'),
  node('b', { spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] } }),
  {
    ...node('c', {
      metadata: {
        name: 'c',
        uid: 'u-c',
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: { pool: 'c', 'kubernetes.io/hostname': 'c' },
        taintOwnership: [{ manager: 'x', owns: ['spec.taints'] }],
      },
      spec: {
        unschedulable: true,
        providerID: 'aws:///i-1',
        podCIDR: '10.0.0.0/24',
        taints: [
          { key: 'gpu', value: 'yes', effect: 'NoSchedule', timeAdded: '2026-01-01T00:00:00Z' },
          { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
        ],
      },
      status: {
        allocatable: { cpu: '8', memory: '8Gi', pods: '110', 'nvidia.com/gpu': '4' },
        images: [{ names: ['i'], sizeBytes: 1 }],
        volumesAttached: [{ name: 'v' }],
        conditions: [{ type: 'Ready', status: 'Unknown' }],
      },
    }),
  },
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name: 'c' },
    spec: { drivers: [{ name: 'd', nodeID: 'i-1' }] },
  } as KubernetesObject,
  pod('d/web', 'a', 'ReplicaSet'),
  pod('d/alone', 'a'),
  pod('d/daemon', 'a', 'DaemonSet'),
  pod('d/static', 'a', 'Node'),
  pod('d/done', 'a', 'Job', { status: { phase: 'Succeeded' } }),
  pod('e/waiting', '', 'ReplicaSet'),
];

const BASE = ClusterState.build(OBJECTS, ['Node', 'Pod', 'CSINode']);

const changed = (...changes: ScenarioChange[]): { state: ClusterState; summary: ScenarioSummary } => {
  const result = applyScenario(BASE, { changes });
  if (result.outcome === 'refused') throw new Error(JSON.stringify(result.faults));
  return result;
};

const faultsOf = (
  ...changes: ScenarioChange[]
): readonly (readonly [pointer: string, code: string, message: string])[] => {
  const result = applyScenario(BASE, { changes });
  return result.outcome === 'applied'
    ? []
    : result.faults.map(({ pointer, code, message }) => [pointer, code, message]);
};

const nodeOf = (state: ClusterState, name: string): Node | undefined =>
  state.find('Node', undefined, name) as Node | undefined;
const podOf = (state: ClusterState, name: string, namespace = 'd'): Pod | undefined =>
  state.find('Pod', namespace, name) as Pod | undefined;
const cpuOn = (state: ClusterState, name: string): unknown =>
  state.nodes.requested.at('cpu', state.nodes.indexOf(name));

const POD: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'new' },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu: '500m' } } }] },
};

describe('a scenario', () => {
  it('does not modify its base state', () => {
    const before = JSON.stringify([BASE.objects('Node'), BASE.objects('Pod'), BASE.taintSets.length]);
    changed({ type: 'editNodes', allNodes: true, taints: ['x=y:NoExecute'] }, { type: 'removeNodes', nodes: ['a'] });
    expect(JSON.stringify([BASE.objects('Node'), BASE.objects('Pod'), BASE.taintSets.length])).toBe(before);
  });

  it('edits nodes in order like kubectl taint, label and cordon', () => {
    const { state, summary } = changed(
      { type: 'editNodes', nodes: ['a', 'b'], taints: ['k=v:NoSchedule'], labels: ['tier=x'] },
      { type: 'editNodes', labelSelector: 'tier=x', taints: ['k-'], unschedulable: true },
      { type: 'editNodes', nodes: ['b'], taints: [{ key: 'gpu', value: 'no', effect: 'NoSchedule' }], overwrite: true },
    );
    expect(nodeOf(state, 'a')?.spec).toEqual({
      unschedulable: true,
      taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
    });
    expect(nodeOf(state, 'b')?.spec?.taints?.[0]).toEqual({ key: 'gpu', value: 'no', effect: 'NoSchedule' });
    expect(nodeOf(state, 'b')?.metadata.labels?.['tier']).toBe('x');
    expect(summary).toEqual({
      nodes: { added: 0, removed: 0, changed: 2 },
      pods: { added: 0, removed: 0, changed: 0 },
      notes: [],
    });
  });

  it('changes nothing if no node matches a selector', () => {
    expect(
      changed({ type: 'editNodes', labelSelector: 'no=such', taints: ['k:NoSchedule'] }).summary.nodes.changed,
    ).toBe(0);
  });

  it('adds copies of a node without its individual fields', () => {
    const { state, summary } = changed({
      type: 'addNodes',
      like: 'c',
      count: 2,
      labels: { zone: 'z' },
      allocatable: { cpu: 16 },
    });
    expect(nodeOf(state, 'c-0002')).toEqual({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'c-0002', labels: { pool: 'c', 'kubernetes.io/hostname': 'c-0002', zone: 'z' } },
      spec: { taints: [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] },
      status: {
        allocatable: { cpu: '16', memory: '8Gi', pods: '110', 'nvidia.com/gpu': '4' },
        images: [{ names: ['i'], sizeBytes: 1 }],
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    });
    expect(state.find('CSINode', undefined, 'c-0001')).toMatchObject({
      spec: { drivers: [{ name: 'd', nodeID: 'c-0001' }] },
    });
    expect(summary.nodes.added).toBe(2);
  });

  it('adds nodes from a manifest, under its name, given names, or numbered names', () => {
    const manifest = { metadata: { name: 'n' }, status: { capacity: { cpu: '2' } } };
    const { state } = changed(
      { type: 'addNodes', node: manifest },
      { type: 'addNodes', node: manifest, names: ['x', 'y'], taints: ['t:NoSchedule'] },
      { type: 'addNodes', node: manifest, name: 'p', count: 1 },
      { type: 'addNodes', node: manifest, name: 'p', count: 2 },
    );
    const names = state.nodes.count === 9 ? Array.from({ length: 9 }, (_, i) => state.nodes.name(i)) : [];
    expect(names).toEqual(['a', 'b', 'c', 'n', 'p-0001', 'p-0002', 'p-0003', 'x', 'y']);
    expect(nodeOf(state, 'n')?.status?.allocatable).toEqual({ cpu: '2' });
    expect(nodeOf(state, 'y')).toMatchObject({
      metadata: { labels: { 'kubernetes.io/hostname': 'y' } },
      spec: { taints: [{ key: 't', effect: 'NoSchedule' }] },
    });
  });

  const fates: readonly [string, 'delete' | 'pending' | undefined, pending: string[], gone: string[]][] = [
    ['by default, by whether a controller replaces them', undefined, ['web'], ['alone', 'daemon', 'static', 'done']],
    ['all of them with the option delete', 'delete', [], ['web', 'alone', 'daemon', 'static', 'done']],
    ['only those that cannot wait, with the option pending', 'pending', ['web', 'alone'], ['daemon', 'static', 'done']],
  ];
  it.each(fates)('removes a node and its pods: %s', (_, pods, pending, gone) => {
    const { state, summary } = changed({ type: 'removeNodes', nodes: ['a'], ...(pods === undefined ? {} : { pods }) });
    expect(nodeOf(state, 'a')).toBeUndefined();
    for (const name of pending) {
      expect(podOf(state, name)?.spec.nodeName).toBeUndefined();
      expect(podOf(state, name)?.status).toEqual({ phase: 'Pending' });
    }
    for (const name of gone) expect(podOf(state, name)).toBeUndefined();
    expect(summary.pods).toEqual({ added: 0, removed: gone.length, changed: pending.length });
    expect(summary.notes.join('\n')).toContain(
      'removeNodes: pods of DaemonSets, which are deleted with their nodes: 1',
    );
  });

  it('removes other objects of a removed node', () => {
    expect(changed({ type: 'removeNodes', nodes: ['c'] }).state.find('CSINode', undefined, 'c')).toBeUndefined();
  });

  it('resizes nodes, and leaves other resources unchanged', () => {
    const { state } = changed({
      type: 'resizeNodes',
      nodes: ['a'],
      allocatable: { cpu: '6', 'example.com/x': 1 },
      capacity: { cpu: '7' },
    });
    expect(nodeOf(state, 'a')?.status).toEqual({
      allocatable: { cpu: '6', memory: '8Gi', pods: '110', 'example.com/x': '1' },
      capacity: { cpu: '7' },
    });
    expect(state.nodes.allocatable.at('cpu', 0)).toBe(6000);
  });

  it('adds pods as the API server would create them, on a node or pending', () => {
    const { state } = changed(
      { type: 'addPods', pod: POD, count: 3, nodeName: 'b' },
      { type: 'addPods', pod: { ...POD, status: { phase: 'Succeeded' } } },
    );
    expect(cpuOn(state, 'b')).toBe(1500);
    expect(podOf(state, 'new-0003', 'default')).toMatchObject({
      spec: { nodeName: 'b' },
      status: { phase: 'Running' },
    });
    expect(podOf(state, 'new', 'default')).toMatchObject({
      spec: { schedulerName: 'default-scheduler' },
      status: { phase: 'Pending', qosClass: 'Burstable' },
    });
  });

  it('adds pods of a workload with its name as prefix', () => {
    const workload = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'front', namespace: 'd' },
      spec: { template: { metadata: { labels: { app: 'front' } }, spec: { containers: [{ name: 'c' }] } } },
    };
    const { state } = changed({ type: 'addPods', pod: workload, count: 2 });
    expect(podOf(state, 'front-0002')?.metadata).toMatchObject({
      labels: { app: 'front' },
      ownerReferences: [{ name: 'front' }],
    });
  });

  it('removes and moves pods, visibly to later changes', () => {
    const { state, summary } = changed(
      { type: 'movePods', pods: ['d/web', 'e/waiting'], nodeName: 'b' },
      { type: 'movePods', namespace: 'd', labelSelector: 'app in (alone, done)', pending: true },
      { type: 'removePods', labelSelector: 'app=daemon' },
      { type: 'removeNodes', nodes: ['b'] },
    );
    expect([podOf(state, 'web'), podOf(state, 'waiting', 'e')].map((one) => one?.status)).toEqual([
      { phase: 'Pending' },
      { phase: 'Pending' },
    ]);
    expect(podOf(state, 'alone')?.spec.nodeName).toBeUndefined();
    expect(podOf(state, 'done')?.spec.nodeName).toBe('a');
    expect(podOf(state, 'daemon')).toBeUndefined();
    expect(cpuOn(state, 'a')).toBe(1000);
    expect(summary.pods).toEqual({ added: 0, removed: 1, changed: 3 });
  });

  it('keeps the status of a running pod that moves, and frees its former node', () => {
    const { state } = changed({ type: 'movePods', pods: ['d/web'], nodeName: 'b' });
    expect(podOf(state, 'web')?.status?.startTime).toBe('2026-01-01T00:00:00Z');
    expect([cpuOn(state, 'a'), cpuOn(state, 'b')]).toEqual([3000, 1000]);
  });

  it('reports all faults of all changes, each with its field', () => {
    expect(
      faultsOf(
        { type: 'editNodes', nodes: ['a', 'gone'], taints: ['k:Never', 'j:NoSchedule'] },
        { type: 'editNodes', allNodes: true, taints: ['gpu=x:NoSchedule'] },
        { type: 'editNodes', nodes: ['a'], taints: ['absent-'], labels: ['pool=x'] },
        { type: 'removeNodes', nodes: ['a'], labelSelector: 'x in' },
        { type: 'removeNodes', labelSelector: 'x in' },
        { type: 'resizeNodes', nodes: ['a'], allocatable: { cpu: '-1', memory: 'much' } },
        {
          type: 'addPods',
          pod: { ...POD, spec: { containers: [], nodeName: 'gone', tolerations: [{ key: 'k', operator: 'Equals' }] } },
          names: ['A'],
        },
        { type: 'movePods', pods: ['d/web', 'web', 'd/gone', 'd/done'], nodeName: 'nowhere' },
      ).map(([pointer, code]) => `${pointer} ${code}`),
    ).toEqual([
      '/scenario/changes/0/editNodes/taints/0 invalid-taint',
      '/scenario/changes/0/editNodes/nodes/1 object-not-found',
      '/scenario/changes/1/editNodes/allNodes taint-exists',
      '/scenario/changes/1/editNodes/allNodes taint-exists',
      '/scenario/changes/2/editNodes/nodes/0 taint-not-found',
      '/scenario/changes/2/editNodes/nodes/0 label-exists',
      '/scenario/changes/3/removeNodes one-of',
      '/scenario/changes/4/removeNodes/labelSelector invalid-selector',
      '/scenario/changes/5/resizeNodes/allocatable/cpu FieldValueInvalid',
      '/scenario/changes/5/resizeNodes/allocatable/memory FieldValueInvalid',
      '/scenario/changes/6/addPods/pod/spec/tolerations/0/operator FieldValueNotSupported',
      '/scenario/changes/6/addPods/names/0 FieldValueInvalid',
      '/scenario/changes/7/movePods/nodeName object-not-found',
      '/scenario/changes/7/movePods/pods/1 invalid-pod-key',
      '/scenario/changes/7/movePods/pods/3 pod-has-ended',
    ]);
  });

  const refusals: readonly [string, ScenarioChange, pointer: string, message: string][] = [
    [
      'a taint that is there, in kubectl’s words',
      { type: 'editNodes', nodes: ['b'], taints: ['gpu=x:NoSchedule'] },
      '/scenario/changes/0/editNodes/nodes/0',
      'node b already has gpu taint(s) with same effect(s) and --overwrite is false',
    ],
    [
      'a node that is there',
      { type: 'addNodes', like: 'a', name: 'b' },
      '/scenario/changes/0/addNodes/name',
      'nodes "b" already exists',
    ],
    ['a node like none', { type: 'addNodes', like: 'z' }, '/scenario/changes/0/addNodes/like', 'nodes "z" not found'],
    [
      'a node of neither manifest nor model',
      { type: 'addNodes' },
      '/scenario/changes/0/addNodes',
      'specify either node',
    ],
    [
      'a manifest of something else',
      { type: 'addNodes', node: POD },
      '/scenario/changes/0/addNodes/node/kind',
      'Unsupported value: "Pod": supported values: "Node"',
    ],
    [
      'a manifest that the API server refuses',
      {
        type: 'addNodes',
        node: { metadata: { name: 'n' }, status: { capacity: { 'x.com/y': '0.5' }, allocatable: {} } },
      },
      '/scenario/changes/0/addNodes/node/status/capacity/x.com~1y',
      'must be an integer',
    ],
    [
      'bad labels of new nodes',
      { type: 'addNodes', like: 'a', labels: { 'a b': '' } },
      '/scenario/changes/0/addNodes/labels',
      'Invalid value: "a b"',
    ],
    [
      'a fraction of what is counted',
      { type: 'resizeNodes', nodes: ['a'], allocatable: { 'x.com/y': '500m' } },
      '/scenario/changes/0/resizeNodes/allocatable',
      'must be an integer',
    ],
    [
      'a pod that is there',
      { type: 'addPods', pod: { ...POD, metadata: { name: 'web', namespace: 'd' } } },
      '/scenario/changes/0/addPods',
      'pods "web" already exists',
    ],
    [
      'more than can be',
      { type: 'addPods', pod: POD, count: 20_001 },
      '/scenario/changes/0/addPods/count',
      'at most 20000 objects',
    ],
  ];
  it.each(refusals)('refuses %s', (_, change, pointer, message) => {
    const [fault, ...more] = faultsOf(change);
    expect(more).toEqual([]);
    expect(fault?.[0]).toBe(pointer);
    expect(fault?.[2]).toContain(message);
  });

  it('does not report an object as missing if it could not be added', () => {
    const faults = faultsOf(
      { type: 'addNodes', like: 'a', name: 'new', taints: ['x'] },
      { type: 'editNodes', nodes: ['new'], unschedulable: true },
    );
    expect(faults.map(([pointer]) => pointer)).toEqual(['/scenario/changes/0/addNodes/taints/0']);
  });

  it('refuses too many changes, and changes of too many objects', () => {
    const many = Array.from({ length: 1001 }, (): ScenarioChange => ({ type: 'removePods', namespace: 'none' }));
    expect(faultsOf(...many)).toEqual([
      ['/scenario/changes', 'scenario-too-large', 'a scenario can have at most 1000 changes'],
    ]);
    const half: ScenarioChange = { type: 'addPods', pod: POD, count: 12_000 };
    expect(faultsOf(half, half)[0]?.slice(0, 2)).toEqual(['/scenario/changes/1/addPods', 'scenario-too-large']);
  });

  it('takes the devices of a removed node away, and the claims that were made for its pods', () => {
    const api = 'resource.k8s.io/v1';
    const slice = (name: string, of: object): KubernetesObject =>
      ({
        apiVersion: api,
        kind: 'ResourceSlice',
        metadata: { name },
        spec: { driver: 'gpu', pool: { name, generation: 1, resourceSliceCount: 1 }, devices: [], ...of },
      }) as KubernetesObject;
    const status = (name: string, uid: string): object => ({
      allocation: { devices: { results: [] } },
      reservedFor: [{ resource: 'pods', name, uid }],
    });
    const claim = (name: string, more: object): KubernetesObject => ({
      apiVersion: api,
      kind: 'ResourceClaim',
      metadata: { name, namespace: 'd', ...more },
    });
    const made = claim('made', { ownerReferences: [{ kind: 'Pod', name: 'p', uid: 'p', controller: true }] });
    const base = pod('d/p', 'a', 'ReplicaSet');
    const user = {
      ...base,
      metadata: { ...base.metadata, uid: 'p' },
      spec: {
        ...base.spec,
        resourceClaims: [
          { name: 'own', resourceClaimTemplateName: 't' },
          { name: 'other', resourceClaimName: 'shared' },
        ],
      },
      status: { phase: 'Running', resourceClaimStatuses: [{ name: 'own', resourceClaimName: 'made' }] },
    } as KubernetesObject;
    const objects = [
      ...[node('a'), node('b'), user],
      { ...made, status: status('p', 'p') } as KubernetesObject,
      { ...claim('shared', {}), status: status('p', 'p') } as KubernetesObject,
      ...[slice('on-a', { nodeName: 'a' }), slice('on-b', { nodeName: 'b' }), slice('all', { allNodes: true })],
    ];
    const state = ClusterState.build(objects, ['Node', 'Pod', 'ResourceClaim', 'ResourceSlice']);
    const after = (...changes: ScenarioChange[]): ClusterState => {
      const result = applyScenario(state, { changes });
      if (result.outcome === 'refused') throw new Error(JSON.stringify(result.faults));
      return result.state;
    };
    const namesIn = (one: ClusterState, kind: 'ResourceSlice' | 'ResourceClaim'): readonly string[] =>
      one
        .objects(kind)
        .map(({ metadata }) => metadata.name)
        .sort();
    const removed = after({ type: 'removeNodes', nodes: ['a'] });
    expect(namesIn(removed, 'ResourceSlice')).toEqual(['all', 'on-b']);
    for (const one of [
      removed,
      after({ type: 'movePods', pods: ['d/p'], pending: true }),
      after({ type: 'movePods', pods: ['d/p'], nodeName: 'b' }),
      after({ type: 'removePods', pods: ['d/p'] }),
    ]) {
      expect(namesIn(one, 'ResourceClaim')).toEqual(['shared']);
      expect(one.objects('ResourceClaim')[0]).toMatchObject({ status: {} });
      expect(JSON.stringify(one.objects('ResourceClaim')[0])).not.toContain('allocation');
    }
    expect(podOf(removed, 'p')?.status?.resourceClaimStatuses).toBeUndefined();
    expect(namesIn(after({ type: 'movePods', pods: ['d/p'], nodeName: 'a' }), 'ResourceClaim')).toHaveLength(2);
    const grown = after({ type: 'addNodes', like: 'b', name: 'c' }, { type: 'removeNodes', nodes: ['b'] });
    expect(namesIn(grown, 'ResourceSlice')).toEqual(['all', 'c-on-b', 'on-a']);
    expect(grown.find('ResourceSlice', '', 'c-on-b')).toMatchObject({
      spec: { nodeName: 'c', pool: { name: 'c/on-b', generation: 1, resourceSliceCount: 1 } },
    });
    const put = slice('put', { nodeName: 'a' }) as unknown as JsonObject;
    const both = after({ type: 'putObjects', objects: [put] }, { type: 'removeNodes', nodes: ['a'] });
    expect(namesIn(both, 'ResourceSlice')).toEqual(['all', 'on-b']);
  });

  it('treats the objects that it puts as complete if their kind was never loaded', () => {
    const kata: JsonObject = {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'kata' },
      handler: 'kata',
      overhead: { podFixed: { cpu: '250m' } },
    };
    const spec = { containers: [{ name: 'c', image: 'i' }], runtimeClassName: 'kata' };
    const manifest: JsonObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'new', namespace: 'd' }, spec };
    const { state } = changed({ type: 'putObjects', objects: [kata] }, { type: 'addPods', pod: manifest });
    expect(state.loadedKinds.has('RuntimeClass')).toBe(true);
    expect(podOf(state, 'new')?.spec.overhead).toEqual({ cpu: '250m' });
    expect(changed({ type: 'addPods', pod: POD }).state.loadedKinds.has('RuntimeClass')).toBe(false);
  });

  it('yields in between', () => {
    let turns = 0;
    const steps = stepScenario(BASE, { changes: [{ type: 'addPods', pod: POD, count: 5000 }] });
    while (steps.next().done !== true) turns++;
    expect(turns).toBeGreaterThan(100);
  });
});
