import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import type { JsonObject } from '../json/json-value.js';
import { rulesOfMinor, withGates, type FeatureGates } from '../kubernetes/kubernetes-rules.js';
import type { ResourceClaim, ResourceSlice } from '../kubernetes/objects/dra.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { evaluatePlacement } from '../placement/evaluate-placement.js';
import { applyScenario, type ScenarioResult } from './apply-scenario.js';
import type { ScenarioChange } from './scenario.js';

const API = 'resource.k8s.io/v1';
const USER = { resource: 'pods', name: 'train', uid: 'train' };
const RESULT = { request: 'gpu', driver: 'gpu.example.com', pool: 'a', device: 'gpu-0' };
const HELD = { allocation: { devices: { results: [RESULT] } }, reservedFor: [USER] };

const object = (kind: string, name: string, spec: object, more: object = {}): JsonObject =>
  ({
    apiVersion: API,
    kind,
    metadata: { name, ...(kind.startsWith('ResourceClaim') && { namespace: 'd' }) },
    spec,
    ...more,
  }) as JsonObject;
const asking = (more: object = {}, deviceClassName = 'gpu'): object => ({
  devices: {
    requests: [{ name: 'gpu', exactly: { deviceClassName, allocationMode: 'ExactCount', count: 1, ...more } }],
  },
});

const BASE = ClusterState.build(
  [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'd' } },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'train', namespace: 'd', uid: 'train' },
      spec: { containers: [], resourceClaims: [{ name: 'gpu', resourceClaimName: 'held' }] },
    } as KubernetesObject,
    object('ResourceClaim', 'held', asking(), { status: HELD }) as unknown as KubernetesObject,
  ],
  ['Namespace', 'Pod', 'ResourceClaim', 'ResourceClaimTemplate', 'DeviceClass'],
);

const applied = (...changes: ScenarioChange[]): Extract<ScenarioResult, { outcome: 'applied' }> => {
  const result = applyScenario(BASE, { changes });
  if (result.outcome === 'refused') throw new Error(JSON.stringify(result.faults));
  return result;
};
const put = (...objects: JsonObject[]): ScenarioChange => ({ type: 'putObjects', objects });
const remove = (kind: string, name: string): ScenarioChange => ({
  type: 'removeObjects',
  objects: [{ kind, name, namespace: 'd' }],
});
const heldIn = ({ state }: { readonly state: ClusterState }): KubernetesObject | undefined =>
  state.find('ResourceClaim', 'd', 'held');

it('stores a claim without the fields of gates that are off', () => {
  const request = { name: 'gpu', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } };
  const asked = { ...request, exactly: { ...request.exactly, capacity: { requests: { memory: '1Gi' } } } };
  const stored = [35, 36].map((minor) => {
    const changes = [put(object('ResourceClaim', 'new', { devices: { requests: [asked] } }))];
    const result = applyScenario(BASE.under(rulesOfMinor(minor)), { changes });
    if (result.outcome === 'refused') throw new Error(JSON.stringify(result.faults));
    return (result.state.find('ResourceClaim', 'd', 'new') as ResourceClaim).spec?.devices?.requests;
  });
  expect(stored).toEqual([[request], [asked]]);
});

it('stores a slice without the fields of gates that are off, unless the one that it replaces has such fields', () => {
  const device = {
    name: 'gpu-0',
    taints: [{ key: 'a', effect: 'NoSchedule' }],
    consumesCounters: [{ counterSet: 'c', counters: { memory: { value: '1Gi' } } }],
    bindingConditions: ['a'],
    bindingFailureConditions: ['b'],
    bindsToNode: true,
    allowMultipleAllocations: true,
    capacity: { memory: { value: '1Gi', requestPolicy: { default: '1Gi' } } },
  };
  const slice = object('ResourceSlice', 's', {
    driver: 'gpu.example.com',
    nodeName: 'n',
    pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    sharedCounters: [{ name: 'c', counters: { memory: { value: '2Gi' } } }],
    devices: [device],
  });
  const stored = (minor: number, before: readonly KubernetesObject[] = [], gates: FeatureGates = {}): unknown => {
    const state = BASE.apply({ upserts: [...before] }).under(withGates(rulesOfMinor(minor), gates));
    const result = applyScenario(state, { changes: [put(slice)] });
    if (result.outcome === 'refused') throw new Error(JSON.stringify(result.faults));
    const { spec } = result.state.find('ResourceSlice', undefined, 's') as ResourceSlice;
    return [spec?.sharedCounters !== undefined, spec?.devices?.[0]];
  };
  const plain = { name: 'gpu-0', capacity: { memory: { value: '1Gi' } } };
  expect(stored(35)).toEqual([false, plain]);
  expect(stored(36)).toEqual([true, device]);
  expect(stored(35, [], { DRADeviceTaints: true })).toEqual([false, { ...plain, taints: device.taints }]);
  const tainted = object('ResourceSlice', 's', {
    driver: 'gpu.example.com',
    devices: [{ name: 'other', taints: [{ key: 'b', effect: 'NoExecute' }] }],
  }) as unknown as KubernetesObject;
  expect(stored(35, [tainted])).toEqual([false, { ...plain, taints: device.taints }]);
});

it('refuses an object in the words of the version', () => {
  const refused = (state: ClusterState): string[] => {
    const labels = { 'a/b/c': '' };
    const result = applyScenario(state, {
      changes: [put({ apiVersion: API, kind: 'DeviceClass', metadata: { name: 'g', labels }, spec: {} })],
    });
    return result.outcome === 'refused' ? result.faults.map(({ message }) => message) : [];
  };
  expect(refused(BASE.under(rulesOfMinor(34)))).toEqual([expect.stringContaining('a qualified name must')]);
  expect(refused(BASE)).toEqual([expect.stringContaining('a valid label key must')]);
});

describe('the devices of nodes that a scenario adds', () => {
  const node = (name: string): KubernetesObject => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
  const slice = (name: string, pool: string, spec: object): KubernetesObject =>
    ({
      ...object('ResourceSlice', name, {
        driver: 'gpu.example.com',
        pool: { name: pool, generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'gpu-0' }],
        ...spec,
      }),
    }) as unknown as KubernetesObject;
  const onBoth = { name: 'both', generation: 1, resourceSliceCount: 2 };
  const classes = object('DeviceClass', 'gpu', {}) as unknown as KubernetesObject;
  const unused = object('ResourceClaim', 'unused', asking()) as unknown as KubernetesObject;
  const elsewhere = object('ResourceClaim', 'elsewhere', asking(), {
    status: {
      allocation: {
        devices: { results: [RESULT] },
        nodeSelector: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['own'] }] }],
        },
      },
    },
  }) as unknown as KubernetesObject;
  const state = ClusterState.build(
    [
      ...['own', 'one', 'two', 'bare', 'part'].map(node),
      slice('own', 'own', { nodeName: 'own' }),
      ...['one', 'two'].map((on) => slice(on, 'both', { nodeName: on, pool: onBoth })),
      slice('parts', 'parts', { perDeviceNodeSelection: true, devices: [{ name: 'gpu-0', nodeName: 'part' }] }),
      ...[classes, unused, elsewhere],
    ],
    ['Node', 'Pod', 'ResourceClaim', 'ResourceClaimTemplate', 'DeviceClass', 'ResourceSlice'],
  );
  const placed = (changes: readonly ScenarioChange[], claim = 'unused'): readonly [string, readonly string[]] => {
    const result = applyScenario(state, { changes });
    if (result.outcome === 'refused') throw new Error(JSON.stringify(result.faults));
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'd' },
      spec: { containers: [], resourceClaims: [{ name: 'gpu', resourceClaimName: claim }] },
    };
    const placement = evaluatePlacement(result.state, { pod, filterNames: ['DynamicResources'] });
    return [placement.verdict(result.state.nodes.indexOf('new')), result.summary.notes];
  };
  const manifest: ScenarioChange = { type: 'addNodes', node: { metadata: { name: 'new' } } };
  const like = (name: string): ScenarioChange => ({ type: 'addNodes', like: name, name: 'new' });

  it('are not known of a node from a manifest, and a note says so', () => {
    const notes = [
      'scenario.changes[0].addNodes: which devices the new nodes have is not known; give their ResourceSlices in putObjects',
    ];
    expect(placed([manifest])).toEqual(['unknown', notes]);
    // A node like one of which they are not known.
    const copied = placed([{ ...manifest, name: 'old' }, like('old')]);
    expect(copied).toEqual(['unknown', [...notes, notes[0]!.replace('[0]', '[1]')]]);
  });

  it('make no difference where the claim has a device on another node', () => {
    expect(placed([manifest], 'elsewhere')[0]).toBe('infeasible');
  });

  it('are those of the ResourceSlices that the scenario gives, before or after the node', () => {
    const given = (nodeName: string): ScenarioChange => put(slice('new', 'new', { nodeName }) as unknown as JsonObject);
    const empty = put(slice('new', 'new', { nodeName: 'new', devices: [] }) as unknown as JsonObject);
    for (const changes of [
      [manifest, given('new')],
      [given('new'), manifest],
    ]) {
      expect(placed(changes)).toEqual(['feasible', []]);
    }
    expect(placed([manifest, empty])).toEqual(['infeasible', []]);
    expect(placed([manifest, given('bare')])[0]).toBe('unknown');
  });

  it('are those of the node that it is like, except in pools that this one shares', () => {
    expect(placed([like('own')])[0]).toBe('feasible');
    expect(placed([like('bare')])).toEqual(['infeasible', []]);
    for (const name of ['one', 'part']) {
      expect(placed([like(name)])).toEqual([
        'unknown',
        [
          `scenario.changes[0].addNodes: which devices the new nodes have of the pools that ${name} shares with other nodes is not known; give their ResourceSlices in putObjects`,
        ],
      ]);
    }
  });
});

describe('objects of Dynamic Resource Allocation in a scenario', () => {
  it('are added and removed', () => {
    const { state } = applied(
      put(
        object('DeviceClass', 'gpu', { extendedResourceName: 'example.com/gpu' }),
        object('ResourceClaim', 'new', asking()),
        object('ResourceClaimTemplate', 'new', { spec: asking() }),
        object('ResourceClaimTemplate', 'other', { spec: asking() }),
      ),
      remove('ResourceClaimTemplate', 'other'),
    );
    expect(state.find('DeviceClass', '', 'gpu')).toMatchObject({ spec: { extendedResourceName: 'example.com/gpu' } });
    expect(state.find('ResourceClaim', 'd', 'new')).toMatchObject({ spec: asking() });
    expect(state.objects('ResourceClaimTemplate').map(({ metadata }) => metadata.name)).toEqual(['new']);
  });

  it('are refused in the words of the API server, with every field of every object', () => {
    const result = applyScenario(BASE, {
      changes: [
        put(
          object('DeviceClass', 'Gpu', { selectors: [{ cel: { expression: 'device.foo' } }] }),
          object('ResourceClaim', 'c', asking({ count: -1 }, '')),
          object('ResourceClaimTemplate', 't', { spec: asking({ adminAccess: true }) }),
          object('ResourceClaim', 's', asking(), {
            status: {
              allocation: { devices: { results: [{ ...RESULT, request: 'other', pool: '' }] } },
              reservedFor: [USER, { ...USER, name: '' }],
            },
          }),
          object('ResourceClaim', 'r', asking(), { status: { reservedFor: [USER] } }),
        ),
      ],
    });
    const faults = result.outcome === 'refused' ? result.faults : [];
    const at = 'scenario.changes[0].putObjects.objects';
    expect(faults.map(({ field }) => field)).toEqual([
      `${at}[0].metadata.name`,
      `${at}[0].spec.selectors[0].cel.expression`,
      `${at}[1].spec.devices.requests[0].exactly.deviceClassName`,
      `${at}[1].spec.devices.requests[0].exactly.count`,
      // The path is that of the API server for templates as well.
      `${at}[2].spec.devices.requests[0].adminAccess`,
      `${at}[3].status.reservedFor[1].name`,
      `${at}[3].status.reservedFor[1]`,
      `${at}[3].status.allocation.devices.results[0].request`,
      `${at}[3].status.allocation.devices.results[0].pool`,
      `${at}[4].status.reservedFor`,
    ]);
    expect(faults[4]?.message).toContain('resource.kubernetes.io/admin-access: true');
    expect(faults.at(-1)?.message).toContain('may not be specified when `allocated` is not set');
  });

  it('have admin access where an earlier change allows it', () => {
    const allow: ScenarioChange = {
      type: 'editNamespace',
      name: 'd',
      labels: { 'resource.kubernetes.io/admin-access': 'true' },
    };
    const { state } = applied(allow, put(object('ResourceClaim', 'admin', asking({ adminAccess: true }))));
    expect(state.find('ResourceClaim', 'd', 'admin')).toBeDefined();
  });

  it('have the status that they are given; a claim that is as it is keeps its own, and one with another spec counts as new', () => {
    const other = { allocation: { devices: { results: [{ ...RESULT, device: 'gpu-1' }] } } };
    expect(heldIn(applied(put(object('ResourceClaim', 'held', asking(), { status: other }))))).toMatchObject({
      status: other,
    });
    const same = applied(put(object('ResourceClaim', 'held', asking())));
    expect(heldIn(same)).toMatchObject({ status: HELD });
    expect(same.summary.notes).toEqual([]);
    const anew = applied(put(object('ResourceClaim', 'held', asking({ count: 2 }))));
    expect(heldIn(anew)).not.toHaveProperty('status');
    expect(anew.summary.notes).toEqual([
      expect.stringContaining('scenario.changes[0].putObjects.objects[0]: the spec of'),
    ]);
  });

  it('stay, being deleted, as long as pods use a claim that is removed', () => {
    const removed = remove('ResourceClaim', 'held');
    expect(heldIn(applied(removed))).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) as unknown },
      status: HELD,
    });
    const leave: ScenarioChange = { type: 'removePods', pods: ['d/train'] };
    expect(heldIn(applied(removed, leave))).toBeUndefined();
    expect(heldIn(applied(leave, removed))).toBeUndefined();
  });
});

describe('quotas of a scenario', () => {
  const pod = (name: string): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'd' },
    spec: { containers: [{ name: 'c', image: 'c' }] },
  });
  const quota = (hard: JsonObject, used?: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'quota', namespace: 'd' },
    spec: { hard },
    ...(used && { status: { hard, used } }),
  });
  const cluster = (...objects: readonly JsonObject[]): ClusterState =>
    ClusterState.build(
      [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'd' } }, ...objects] as unknown as KubernetesObject[],
      ['Namespace', 'Pod', 'ResourceQuota', 'ResourceClaim', 'DeviceClass', 'PersistentVolumeClaim'],
    );
  const add = (name: string, count = 1): ScenarioChange => ({ type: 'addPods', pod: pod(name), name, count });
  const DEVICES = 'gpu.deviceclass.resource.k8s.io/devices';
  const claim = (name: string): JsonObject => object('ResourceClaim', name, asking());

  function usedAfter(state: ClusterState, ...changes: ScenarioChange[]): unknown {
    const result = applyScenario(state, { changes });
    if (result.outcome === 'refused') return result.faults.map(({ message }) => message);
    return (result.state.find('ResourceQuota', 'd', 'quota') as { readonly status?: { readonly used?: unknown } })
      .status?.used;
  }

  it('refuse what comes after the scenario has put them, and count what is there', () => {
    const state = cluster(pod('there'));
    expect(usedAfter(state, put(quota({ pods: '2' })), add('one'))).toEqual({ pods: '2' });
    expect(usedAfter(state, put(quota({ pods: '2' })), add('one', 2))).toEqual([
      'pods "one" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=2, limited: pods=2 (pod 2 of the added pods)',
    ]);
  });

  it('have room where a change before has removed pods', () => {
    const state = cluster(pod('there'), quota({ pods: '1' }, { pods: '1' }));
    const remove: ScenarioChange = { type: 'removePods', pods: ['d/there'] };
    expect(usedAfter(state, remove, add('one'))).toEqual({ pods: '1' });
    expect(usedAfter(state, add('one'), remove)).toEqual([
      'pods "one" is forbidden: exceeded quota: quota, requested: pods=1, used: pods=1, limited: pods=1',
    ]);
    expect(usedAfter(state, remove, add('one'), add('two'))).toHaveLength(1);
  });

  it('have room where a change between has raised them', () => {
    const state = cluster(quota({ pods: '1' }, { pods: '0' }));
    expect(usedAfter(state, add('one'), put(quota({ pods: '2' })), add('two'))).toEqual({ pods: '2' });
    expect(usedAfter(state, add('one'), put(quota({ pods: '2' })), add('two', 2))).toHaveLength(1);
  });

  it('keep what their status deviates by, and look at nothing that skips admission', () => {
    const state = cluster(quota({ pods: '4' }, { pods: '3' }));
    const skip: ScenarioChange = { type: 'addPods', pod: pod('more'), name: 'more', count: 3, admission: 'skip' };
    expect(usedAfter(state, add('one'))).toEqual({ pods: '4' });
    expect(usedAfter(state, add('one'), skip)).toEqual({ pods: '7' });
    expect(usedAfter(state, skip, add('one'))).toHaveLength(1);
  });

  it('are charged claims for devices, which they may refuse', () => {
    const state = cluster(quota({ [DEVICES]: '2', 'count/resourceclaims.resource.k8s.io': '5' }, { [DEVICES]: '1' }));
    const counting = cluster(quota({ [DEVICES]: '2' }, { [DEVICES]: '1' }));
    expect(usedAfter(counting, put(claim('one')))).toEqual({ [DEVICES]: '2' });
    expect(usedAfter(counting, put(claim('one'), claim('two')))).toEqual([
      `resourceclaims.resource.k8s.io "two" is forbidden: exceeded quota: quota, requested: ${DEVICES}=1, used: ${DEVICES}=2, limited: ${DEVICES}=2`,
    ]);
    const removed = remove('ResourceClaim', 'one');
    expect(usedAfter(counting, put(claim('one')), removed, put(claim('two')))).toEqual({ [DEVICES]: '2' });
    expect(usedAfter(state, put(claim('one')))).toEqual([
      `resourceclaims.resource.k8s.io "one" is forbidden: status unknown for quota: quota, resources: count/resourceclaims.resource.k8s.io,${DEVICES}`,
    ]);
  });

  it('are charged the claims of the pods of a StatefulSet', () => {
    const state = cluster(quota({ persistentvolumeclaims: '1' }, { persistentvolumeclaims: '0' }));
    const set = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db', namespace: 'd' },
      spec: {
        selector: { matchLabels: { app: 'db' } },
        template: {
          metadata: { labels: { app: 'db' } },
          spec: { containers: [{ name: 'c', image: 'c' }] },
        },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    } satisfies JsonObject;
    const added = (count: number): ScenarioChange => ({ type: 'addPods', pod: set, name: 'db', count });
    expect(usedAfter(state, added(1))).toEqual({ persistentvolumeclaims: '1' });
    expect(usedAfter(state, added(2))).toEqual([
      expect.stringContaining(
        'exceeded quota: quota, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=1',
      ),
    ]);
  });
});

it('refuses to put what the API server refuses, as a gate does', () => {
  const priorityClass = (name: string, value: number): JsonObject => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    value,
  });
  const namespace: JsonObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'A.b' } };
  const result = applyScenario(BASE, {
    changes: [put(priorityClass('system-own', 1), priorityClass('high', 2_000_000_000), namespace)],
  });
  expect(result.outcome === 'refused' ? result.faults.map(({ field }) => field) : []).toEqual([
    'scenario.changes[0].putObjects.objects[0].metadata.name',
    'scenario.changes[0].putObjects.objects[1].value',
    'scenario.changes[0].putObjects.objects[2].metadata.name',
  ]);
});
