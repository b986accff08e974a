import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../../cluster/cluster-state.js';
import { DEFAULT_RULES, rulesOfMinor, withGates, type FeatureGates } from '../../../kubernetes/kubernetes-rules.js';
import type { KeptKind } from '../../../kubernetes/kinds.js';
import type {
  Device,
  DeviceClass,
  DeviceRequest,
  DeviceTaintRule,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../../../kubernetes/objects/dra.js';
import type { KubernetesObject, Labels } from '../../../kubernetes/objects/meta.js';
import type { Pod, PodSpec } from '../../../kubernetes/objects/pod.js';
import { evaluatePlacement } from '../../evaluate-placement.js';
import type { Placement } from '../../placement.js';
import { rankNodes } from '../../rank-nodes.js';
import { DEFAULT_GATES } from '../../../kubernetes/toleration.js';
import { dynamicResourcesScore } from './score.js';

const API = 'resource.k8s.io/v1';
const DRIVER = 'gpu.example.com';
const KINDS: readonly KeptKind[] = [
  'Node',
  'Pod',
  'ResourceClaim',
  'ResourceClaimTemplate',
  'ResourceSlice',
  'DeviceClass',
];

const node = (name: string): KubernetesObject => ({ apiVersion: 'v1', kind: 'Node', metadata: { name } });

const slice = (
  on: string,
  devices: readonly Device[],
  more: Partial<NonNullable<ResourceSlice['spec']>> = {},
): ResourceSlice => ({
  apiVersion: API,
  kind: 'ResourceSlice',
  metadata: { name: `slice-${on}` },
  spec: {
    driver: DRIVER,
    nodeName: on,
    pool: { name: on, generation: 1, resourceSliceCount: 1 },
    devices,
    ...more,
  },
});

const CLASS: DeviceClass = {
  apiVersion: API,
  kind: 'DeviceClass',
  metadata: { name: 'gpu' },
  spec: { extendedResourceName: 'example.com/gpu' },
};

const REQUEST: DeviceRequest = {
  name: 'gpu',
  exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 },
};

const claim = (name = 'gpu', requests: readonly DeviceRequest[] = [REQUEST]): ResourceClaim => ({
  apiVersion: API,
  kind: 'ResourceClaim',
  metadata: { name, namespace: 'default' },
  spec: { devices: { requests } },
});

const holding = (on: string, device: string): ResourceClaim => ({
  ...claim(`holds-${device}`),
  status: { allocation: { devices: { results: [{ request: 'gpu', driver: DRIVER, pool: on, device }] } } },
});

const TEMPLATE: ResourceClaimTemplate = {
  apiVersion: API,
  kind: 'ResourceClaimTemplate',
  metadata: { name: 'gpu', namespace: 'default' },
  spec: { spec: { devices: { requests: [REQUEST] } } },
};

const pod = (name: string, spec: Partial<PodSpec>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [], ...spec },
});

const byName = { resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] };
const byTemplate = { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }] };
const asking = { containers: [{ name: 'main', resources: { requests: { 'example.com/gpu': '1' } } }] };

const place = (objects: readonly KubernetesObject[], asked: Pod, kinds = KINDS): Placement =>
  evaluatePlacement(ClusterState.build(objects, kinds), { pod: asked, filterNames: ['DynamicResources'] });

const verdicts = (placement: Placement): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: placement.state.nodes.count }, (_, index) => [
      placement.state.nodes.name(index),
      placement.verdict(index),
    ]),
  );

const TAINT = { key: 'example.com/broken', effect: 'NoSchedule' };

describe('a DeviceTaintRule', () => {
  const rule: DeviceTaintRule = {
    apiVersion: 'resource.k8s.io/v1beta2',
    kind: 'DeviceTaintRule',
    metadata: { name: 'drain' },
    spec: { deviceSelector: { pool: 'a' }, taint: TAINT },
  };
  const objects = [
    node('a'),
    node('b'),
    CLASS,
    claim(),
    slice('a', [{ name: 'gpu-0' }]),
    slice('b', [{ name: 'gpu-0' }]),
    rule,
  ];
  const placementUnder = (wanted: boolean, kinds: readonly KeptKind[]): Placement => {
    const state = ClusterState.build(objects, kinds).under(withGates(DEFAULT_RULES, { DRADeviceTaintRules: wanted }));
    return evaluatePlacement(state, { pod: pod('web', byName), filterNames: ['DynamicResources'] });
  };
  const placedUnder = (wanted: boolean, kinds: readonly KeptKind[]): Record<string, string> =>
    verdicts(placementUnder(wanted, kinds));
  const withRules: readonly KeptKind[] = [...KINDS, 'DeviceTaintRule'];

  it('taints the devices that it selects while the feature gate is on', () => {
    expect(placedUnder(true, withRules)).toEqual({ a: 'infeasible', b: 'feasible' });
    expect(placedUnder(false, withRules)).toEqual({ a: 'feasible', b: 'feasible' });
  });

  it('is named with its taint', () => {
    const { reasons } = placementUnder(true, withRules).explainNode(0);
    expect(reasons).toMatchObject([
      {
        facts: {
          taints: [{ taint: TAINT, rule: 'drain', devices: 1, tolerated: false }],
          devices: [{ because: 'Tainted', taint: TAINT, rule: 'drain' }],
        },
      },
    ]);
  });

  it('and the taints of slices count by default since 1.36 only, and before if the gate DRADeviceTaints is on', () => {
    const tainted = [node('a'), CLASS, claim(), slice('a', [{ name: 'gpu-0', taints: [TAINT] }])];
    const under = (minor: number, gates = {}): string | undefined => {
      const state = ClusterState.build(tainted, KINDS).under(withGates(rulesOfMinor(minor), gates));
      return verdicts(evaluatePlacement(state, { pod: pod('web', byName), filterNames: ['DynamicResources'] }))['a'];
    };
    expect([34, 35, 36].map((minor) => under(minor))).toEqual(['feasible', 'feasible', 'infeasible']);
    expect(under(35, { DRADeviceTaints: true })).toBe('infeasible');
    expect(under(36, { DRADeviceTaints: false })).toBe('feasible');
    // Until 1.34, this gate turns on the rules, too.
    const withRule = ClusterState.build(objects, withRules).under(
      withGates(rulesOfMinor(34), { DRADeviceTaints: true }),
    );
    const placement = evaluatePlacement(withRule, { pod: pod('web', byName), filterNames: ['DynamicResources'] });
    expect(verdicts(placement)).toEqual({ a: 'infeasible', b: 'feasible' });
  });

  it('leaves devices that consume counters or can be shared as they are before 1.36, unless their gates are on', () => {
    const counters = { memory: { value: '10Gi' } };
    const parted = { name: 'gpu-0', consumesCounters: [{ counterSet: 'all', counters }] };
    const shared = { name: 'gpu-0', allowMultipleAllocations: true };
    const pools = { pool: { name: 'a', generation: 1, resourceSliceCount: 2 } };
    const ofCounters: ResourceSlice = {
      ...slice('a', [], { ...pools, sharedCounters: [{ name: 'all', counters }] }),
      metadata: { name: 'counters' },
    };
    const result = { request: 'gpu', driver: DRIVER, pool: 'a', device: 'gpu-0', shareID: 'one' };
    const holder = { ...claim('holder'), status: { allocation: { devices: { results: [result] } } } };
    const on = (more: readonly KubernetesObject[], minor: number, gates = {}): string | undefined => {
      const rules = withGates(rulesOfMinor(minor), gates);
      const state = ClusterState.build([node('a'), CLASS, claim(), ...more], KINDS).under(rules);
      return verdicts(evaluatePlacement(state, { pod: pod('web', byName), filterNames: ['DynamicResources'] }))['a'];
    };
    const withCounters = [slice('a', [parted], pools), ofCounters];
    expect([34, 35, 36].map((minor) => on(withCounters, minor))).toEqual(['infeasible', 'infeasible', 'feasible']);
    expect(on(withCounters, 35, { DRAPartitionableDevices: true })).toBe('feasible');
    expect(on(withCounters, 36, { DRAPartitionableDevices: false })).toBe('infeasible');
    const withShares = [slice('a', [shared]), holder];
    expect([34, 35, 36].map((minor) => on(withShares, minor))).toEqual(['infeasible', 'infeasible', 'feasible']);
    expect(on(withShares, 35, { DRAConsumableCapacity: true })).toBe('feasible');
    expect(on([slice('a', [shared])], 35)).toBe('feasible');
  });

  it('selects by class until 1.34; since, a version reads what is left of the selector', () => {
    const selector = { deviceClassName: 'missing', pool: 'a' };
    const ofClass = { ...rule, spec: { deviceSelector: selector, taint: TAINT } };
    const found = [34, 35].map((minor) => {
      const gates = { DRADeviceTaints: true, DRADeviceTaintRules: true };
      const state = ClusterState.build([...objects.slice(0, -1), ofClass], withRules);
      return verdicts(
        evaluatePlacement(state.under(withGates(rulesOfMinor(minor), gates)), {
          pod: pod('web', byName),
          filterNames: ['DynamicResources'],
        }),
      );
    });
    expect(found).toEqual([
      { a: 'feasible', b: 'feasible' },
      { a: 'infeasible', b: 'feasible' },
    ]);
  });

  it('is missed only while the feature gate is on', () => {
    expect(placedUnder(true, KINDS)).toEqual({ a: 'unknown', b: 'unknown' });
    expect(placedUnder(false, KINDS)).toEqual({ a: 'feasible', b: 'feasible' });
  });
});

describe('the allocator of a version with its feature gates', () => {
  const on = (
    minor: number,
    gates: FeatureGates,
    requests: readonly DeviceRequest[],
    devices: readonly Device[],
    more: Partial<NonNullable<NonNullable<ResourceClaim['spec']>['devices']>> = {},
  ): readonly [string | undefined, ...string[]] => {
    const asked = { ...claim(), spec: { devices: { requests, ...more } } };
    const objects = [node('a'), CLASS, asked, slice('a', devices)];
    const state = ClusterState.build(objects, KINDS).under(
      withGates(rulesOfMinor(minor), { DynamicResourceAllocation: true, ...gates }),
    );
    const placement = evaluatePlacement(state, { pod: pod('web', byName), filterNames: ['DynamicResources'] });
    return [verdicts(placement)['a'], ...placement.explainNode(0).reasons.map(({ message }) => message)];
  };
  const exactly = (more: object): readonly DeviceRequest[] => [
    { name: 'gpu', exactly: { ...REQUEST.exactly!, ...more } },
  ];
  const plain = [{ name: 'gpu-0', capacity: { memory: { value: '8Gi' } } }];
  const memory = { capacity: { requests: { memory: '80Gi' } } };
  const BINDING = { DRADeviceBindingConditions: true, DRAResourceClaimDeviceStatus: true };

  it('fails on a request for capacity, does not look at it, or consumes it', () => {
    const refusal =
      'claim default/gpu, request gpu: has capacity requests, but the DRAConsumableCapacity feature is disabled';
    const under = (minor: number, gates: FeatureGates = {}): readonly [string | undefined, ...string[]] =>
      on(minor, gates, exactly(memory), plain);
    expect(under(33)).toEqual(['feasible']);
    expect(under(34)).toEqual(['infeasible', refusal]);
    expect(under(34, { DRAResourceClaimDeviceStatus: false })).toEqual(['feasible']);
    expect(under(35)).toEqual(['feasible']);
    expect(under(35, BINDING)).toEqual(['infeasible', refusal]);
    expect(under(36, { DRAConsumableCapacity: false })).toEqual(['infeasible', refusal]);
    expect(under(36, { DRAConsumableCapacity: false, DRADeviceBindingConditions: false })).toEqual(['feasible']);
    expect(under(36)).toEqual(['infeasible', 'cannot allocate all claims']);
    expect(under(35, { DRAConsumableCapacity: true })).toEqual(['infeasible', 'cannot allocate all claims']);
  });

  it('makes claims from templates without the fields that the API server drops', () => {
    const template = { ...TEMPLATE, spec: { spec: { devices: { requests: exactly(memory) } } } };
    const verdict = (minor: number): string | undefined => {
      const state = ClusterState.build([node('a'), CLASS, template, slice('a', plain)], KINDS);
      const placement = evaluatePlacement(state.under(rulesOfMinor(minor)), {
        pod: pod('web', byTemplate),
        filterNames: ['DynamicResources'],
      });
      return verdicts(placement)['a'];
    };
    expect([34, 35, 36].map(verdict)).toEqual(['feasible', 'feasible', 'infeasible']);
  });

  it('names the alternative that asks for capacity since 1.35', () => {
    const requests = [{ name: 'gpu', firstAvailable: [{ ...REQUEST.exactly!, name: 'small', ...memory }] }];
    expect(on(34, {}, requests, plain)[1]).toContain('request gpu: has capacity requests');
    expect(on(35, BINDING, requests, plain)[1]).toContain('subrequest small: has capacity requests');
  });

  it('does not judge the capacity of a device as a whole while the gate is off', () => {
    const policy = { default: '9Gi', validValues: ['1Gi'] };
    const devices = [{ name: 'gpu-0', capacity: { memory: { value: '8Gi', requestPolicy: policy } } }];
    expect([33, 34, 35, 36].map((minor) => on(minor, {}, exactly({}), devices)[0])).toEqual([
      'feasible',
      'feasible',
      'feasible',
      'infeasible',
    ]);
  });

  it('does not select devices with binding conditions in 1.34 and 1.35, unless both gates are on', () => {
    const devices = [{ name: 'gpu-0', bindingConditions: ['Attached'], bindingFailureConditions: ['Failed'] }];
    const under = (minor: number, gates: FeatureGates = {}): string | undefined =>
      on(minor, gates, exactly({}), devices)[0];
    expect([33, 34, 35, 36].map((minor) => under(minor))).toEqual(['feasible', 'infeasible', 'infeasible', 'feasible']);
    expect([34, 35].map((minor) => under(minor, BINDING))).toEqual(['feasible', 'feasible']);
    expect(under(36, { DRAResourceClaimDeviceStatus: false })).toBe('infeasible');
  });

  it('names the devices that a gate keeps away, and who shares a device that is allocated as a whole', () => {
    const counters = { memory: { value: '10Gi' } };
    const pools = { pool: { name: 'a', generation: 1, resourceSliceCount: 2 } };
    const ofCounters = {
      ...slice('a', [], { ...pools, sharedCounters: [{ name: 'all', counters }] }),
      metadata: { name: 'counters' },
    };
    const devices = [
      { name: 'gpu-0', consumesCounters: [{ counterSet: 'all', counters }] },
      { name: 'gpu-1', bindingConditions: ['Attached'], bindingFailureConditions: ['Failed'] },
      { name: 'gpu-2', allowMultipleAllocations: true },
    ];
    const result = { request: 'gpu', driver: DRIVER, pool: 'a', device: 'gpu-2', shareID: 'one' };
    const holder = { ...claim('holder'), status: { allocation: { devices: { results: [result] } } } };
    const slices = [slice('a', devices, pools), ofCounters];
    const state = ClusterState.build([node('a'), CLASS, claim(), holder, ...slices], KINDS);
    const placement = evaluatePlacement(state.under(rulesOfMinor(35)), {
      pod: pod('web', byName),
      filterNames: ['DynamicResources'],
    });
    expect(placement.explainNode(0).reasons[0]?.facts).toMatchObject({
      selected: 3,
      refused: 3,
      counts: { inUse: 1, gateOff: 2, combination: 0 },
      devices: [
        { device: `${DRIVER}/a/gpu-0`, because: 'GateOff' },
        { device: `${DRIVER}/a/gpu-1`, because: 'GateOff' },
        { device: `${DRIVER}/a/gpu-2`, because: 'InUse', claim: 'default/holder' },
      ],
    });
  });

  it('waits for the binding conditions of an allocation only where the gates are on', () => {
    const result = { request: 'gpu', driver: DRIVER, pool: 'a', device: 'gpu-0' };
    const results = [{ ...result, bindingConditions: ['Attached'], bindingFailureConditions: ['Failed'] }];
    const conditions = [{ type: 'Failed', status: 'True' }];
    const status = {
      allocation: { devices: { results } },
      devices: [{ driver: DRIVER, pool: 'a', device: 'gpu-0', conditions }],
    };
    const objects = [node('a'), CLASS, { ...claim(), status }, slice('a', [{ name: 'gpu-0' }])];
    const found = [35, 36].map((minor) => {
      const state = ClusterState.build(objects, KINDS).under(rulesOfMinor(minor));
      return verdicts(evaluatePlacement(state, { pod: pod('web', byName), filterNames: ['DynamicResources'] }))['a'];
    });
    expect(found).toEqual(['feasible', 'infeasible']);
  });

  it('takes a device that consumes counters for any other until 1.33', () => {
    const counters = { memory: { value: '10Gi' } };
    const devices = [{ name: 'gpu-0', consumesCounters: [{ counterSet: 'all', counters }] }];
    expect([33, 34].map((minor) => on(minor, {}, exactly({}), devices)[0])).toEqual(['feasible', 'infeasible']);
  });

  it('refuses alternatives in 1.33, and does not know them before', () => {
    const requests = [{ name: 'gpu', firstAvailable: [{ ...REQUEST.exactly!, name: 'small' }] }];
    expect(on(32, {}, requests, plain)).toEqual(['infeasible', 'request gpu: unsupported request type']);
    expect(on(33, {}, requests, plain)).toEqual([
      'infeasible',
      'resource claim default/gpu, request gpu: has subrequests, but the DRAPrioritizedList feature is disabled',
    ]);
    expect(on(33, { DRAPrioritizedList: true }, requests, plain)).toEqual(['feasible']);
    expect(on(34, {}, requests, plain)).toEqual(['feasible']);
  });

  it('fails on a request for admin access in 1.32 and 1.33, unless the gate is on', () => {
    const under = (minor: number, gates: FeatureGates = {}): readonly [string | undefined, ...string[]] =>
      on(minor, gates, exactly({ adminAccess: true }), plain);
    const refusal = 'claim default/gpu, request gpu: admin access is requested, but the feature is disabled';
    expect([31, 34, 36].map((minor) => under(minor)[0])).toEqual(['feasible', 'feasible', 'feasible']);
    expect([32, 33].map((minor) => under(minor))).toEqual([
      ['infeasible', refusal],
      ['infeasible', refusal],
    ]);
    expect(under(33, { DRAAdminAccess: true })).toEqual(['feasible']);
  });

  it('knows distinct attributes, and in selectors whether devices can be shared, only where it consumes capacity', () => {
    const constraints = [{ distinctAttribute: 'example.com/slot' }];
    const slotted = [{ name: 'gpu-0', attributes: { 'example.com/slot': { string: 'one' } } }];
    expect(on(35, {}, exactly({}), slotted, { constraints })).toEqual([
      'infeasible',
      'claim default/gpu, constraint #0: empty constraint (unsupported constraint type?)',
    ]);
    expect(on(36, {}, exactly({}), slotted, { constraints })).toEqual(['feasible']);
    const selectors = [{ cel: { expression: '!device.allowMultipleAllocations' } }];
    expect(on(35, {}, exactly({ selectors }), plain)).toEqual([
      'infeasible',
      expect.stringContaining("undefined field 'allowMultipleAllocations'"),
    ]);
    expect(on(36, {}, exactly({ selectors }), plain)).toEqual(['feasible']);
  });
});

describe('a pod with a claim', () => {
  it('fits the nodes that have a free device for it', () => {
    const objects = [node('a'), node('b'), CLASS, claim(), slice('a', [{ name: 'gpu-0' }])];
    expect(verdicts(place(objects, pod('web', byName)))).toEqual({ a: 'feasible', b: 'infeasible' });
  });

  it('is told which taint keeps which device from which claim, and which claim has which device', () => {
    const devices = [{ name: 'gpu-0', taints: [TAINT] }, { name: 'gpu-1' }];
    const objects = [node('a'), CLASS, claim(), holding('a', 'gpu-1'), slice('a', devices)];
    const { reasons } = place(objects, pod('web', byName)).explainNode(0);
    expect(reasons).toMatchObject([
      {
        plugin: 'DynamicResources',
        code: 'DevicesNotAllocatable',
        status: 'UnschedulableAndUnresolvable',
        message: 'cannot allocate all claims',
        facts: {
          claim: 'default/gpu',
          request: 'gpu',
          wanted: 1,
          selected: 2,
          refused: 2,
          devices: [
            { device: `${DRIVER}/a/gpu-0`, because: 'Tainted', taint: TAINT },
            { device: `${DRIVER}/a/gpu-1`, because: 'InUse', claim: 'default/holds-gpu-1' },
          ],
        },
        fields: [{ path: 'spec.resourceClaims' }],
      },
    ]);
  });

  it('is refused whole if the claim does not exist, with the name of the claim', () => {
    const placement = place([node('a'), CLASS], pod('web', byName));
    expect(placement.podReasons).toMatchObject([
      {
        code: 'ResourceClaimNotUsable',
        message: 'could not find ResourceClaim "default/gpu"',
        facts: { claim: 'default/gpu' },
      },
    ]);
    // The scheduler does not look for a node, so it counts none.
    const message = { text: 'could not find ResourceClaim "default/gpu"', preemption: 'none' };
    expect(placement.message()).toEqual(message);
  });

  it('is waited for before what other filters refuse', () => {
    const missing = { name: 'data', persistentVolumeClaim: { claimName: 'none' } };
    const state = ClusterState.build([node('a'), CLASS], [...KINDS, 'PersistentVolumeClaim', 'PersistentVolume']);
    const placement = evaluatePlacement(state, { pod: pod('web', { ...byName, volumes: [missing] }) });
    expect(placement.podReasons.map(({ plugin }) => plugin)[0]).toBe('DynamicResources');
    expect(placement.message().text).toBe('could not find ResourceClaim "default/gpu"');
  });

  it('from a template that is still to be made is judged by the template', () => {
    const objects = [node('a'), node('b'), CLASS, TEMPLATE, slice('a', [{ name: 'gpu-0' }])];
    expect(verdicts(place(objects, pod('web', byTemplate)))).toEqual({ a: 'feasible', b: 'infeasible' });
    const without = place([node('a'), CLASS], pod('web', byTemplate));
    const message = 'pod "default/web": ResourceClaim not created yet';
    const because = 'the ResourceClaimTemplate does not exist';
    expect(without.podReasons).toMatchObject([{ message, facts: { template: 'default/gpu', because } }]);
    const note = `no claim can be made from ResourceClaimTemplate default/gpu: ${because}`;
    expect(without.rollUp()).toMatchObject([{ message, note }]);
  });

  it('from a template with admin access is made only in a namespace that allows it', () => {
    const requests = [{ name: 'gpu', exactly: { ...REQUEST.exactly!, adminAccess: true } }];
    const template = { ...TEMPLATE, spec: { spec: { devices: { requests } } } };
    const objects = [node('a'), CLASS, template, slice('a', [{ name: 'gpu-0' }])];
    const namespace = (labels: Labels): KubernetesObject => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'default', labels },
    });
    const kinds = [...KINDS, 'Namespace'] as const;
    const refused = place([...objects, namespace({})], pod('web', byTemplate), kinds);
    expect(verdicts(refused)).toEqual({ a: 'infeasible' });
    expect(refused.podReasons).toMatchObject([
      {
        message: 'pod "default/web": ResourceClaim not created yet',
        facts: {
          template: 'default/gpu',
          because:
            'the API server refuses the claim: spec.devices.requests[0].adminAccess: Forbidden: admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace',
        },
      },
    ]);
    const allowed = place(
      [...objects, namespace({ 'resource.kubernetes.io/admin-access': 'true' })],
      pod('web', byTemplate),
      kinds,
    );
    expect(verdicts(allowed)).toEqual({ a: 'feasible' });
    expect(verdicts(place(objects, pod('web', byTemplate)))).toEqual({ a: 'unknown' });
  });

  it('is an error where a selector cannot be evaluated, and only there', () => {
    const expression = `device.attributes["${DRIVER}"].cores > 1`;
    const selectors = [{ cel: { expression } }];
    const requests = [{ name: 'gpu', exactly: { ...REQUEST.exactly!, selectors } }];
    const objects = [node('a'), node('b'), CLASS, claim('gpu', requests), slice('a', [{ name: 'gpu-0' }])];
    const placement = place(objects, pod('web', byName));
    expect(placement.explainNode(0).reasons).toMatchObject([
      {
        code: 'DeviceAllocationFailed',
        status: 'Error',
        message: 'claim default/gpu: selector #0: CEL runtime error: no such key: cores',
      },
    ]);
    expect(placement.explainNode(1).reasons).toMatchObject([{ code: 'DevicesNotAllocatable' }]);
  });

  it('gets no answer where slices were never loaded, unless the claim is allocated', () => {
    const kinds = KINDS.filter((kind) => kind !== 'ResourceSlice');
    const placement = place([node('a'), CLASS, claim()], pod('web', byName), kinds);
    expect(placement.explainNode(0).reasons).toMatchObject([
      { code: 'KindNotLoaded', facts: { missingKinds: ['ResourceSlice'] } },
    ]);
    const allocated = { ...holding('a', 'gpu-0'), metadata: { name: 'gpu', namespace: 'default' } };
    expect(verdicts(place([node('a'), allocated], pod('web', byName), kinds))).toEqual({ a: 'feasible' });
  });

  it('gets no answer beside a pod that was placed without an allocation, where devices are left', () => {
    const rival = pod('rival', { ...byTemplate, nodeName: 'a' });
    const devices = [{ name: 'gpu-0' }, { name: 'gpu-1' }];
    const nodes = [node('a'), node('b')];
    const local = [...nodes, CLASS, TEMPLATE, rival, slice('a', devices), slice('b', devices)];
    expect(verdicts(place(local, pod('web', byTemplate)))).toEqual({ a: 'unknown', b: 'feasible' });
    const fabric = slice('x', devices, { nodeName: '', allNodes: true });
    expect(verdicts(place([...nodes, CLASS, TEMPLATE, rival, fabric], pod('web', byTemplate)))).toEqual({
      a: 'unknown',
      b: 'unknown',
    });
  });

  it('gets no answer if a pod that was placed without an allocation shares the claim', () => {
    const rival = pod('rival', { ...byName, nodeName: 'a' });
    const devices = [{ name: 'gpu-0' }];
    const objects = [node('a'), node('b'), CLASS, claim(), rival, slice('a', devices), slice('b', devices)];
    expect(verdicts(place(objects, pod('web', byName)))).toEqual({ a: 'unknown', b: 'unknown' });
  });
});

describe('a cluster whose slices change', () => {
  const before = ClusterState.build(
    [node('a'), node('b'), CLASS, claim(), holding('a', 'gpu-0'), slice('a', [{ name: 'gpu-1' }]), slice('b', [])],
    KINDS,
  );
  const now = (state: ClusterState): Record<string, string> =>
    verdicts(evaluatePlacement(state, { pod: pod('web', byName), filterNames: ['DynamicResources'] }));

  it('is seen as it is then: devices that vanish, and those that come', () => {
    expect(now(before)).toEqual({ a: 'feasible', b: 'infeasible' });
    const without = before.apply({ deletes: [{ kind: 'ResourceSlice', name: 'slice-a' }] });
    expect(now(without)).toEqual({ a: 'infeasible', b: 'infeasible' });
    const moved = without.apply({ upserts: [slice('b', [{ name: 'gpu-0' }])] });
    expect(now(moved)).toEqual({ a: 'infeasible', b: 'feasible' });
    const back = moved.apply({ upserts: [slice('a', [{ name: 'gpu-0' }])] });
    expect(now(back)).toEqual({ a: 'infeasible', b: 'feasible' });
    expect(now(before)).toEqual({ a: 'feasible', b: 'infeasible' });
  });
});

describe('the message of a pod with claims that fits nowhere', () => {
  const PREEMPTION = 'preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
  const text = (...objects: readonly KubernetesObject[]): string | undefined =>
    place([node('a'), CLASS, ...objects], pod('web', byName)).message().text;

  it('says that it is still not schedulable', () => {
    expect(text(claim())).toBe(
      `0/1 nodes are available: 1 cannot allocate all claims. still not schedulable, ${PREEMPTION}`,
    );
  });

  it('says that a claim was deallocated which is allocated to other nodes and which nobody else uses', () => {
    const { allocation } = holding('b', 'gpu-0').status!;
    const only = { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }] };
    const status = { allocation: { ...allocation!, nodeSelector: only } };
    const refusal = '0/1 nodes are available: 1 resourceclaim not available on the node.';
    expect(text({ ...claim(), status } as ResourceClaim)).toBe(
      `${refusal} deallocation of ResourceClaim completed, ${PREEMPTION}`,
    );
    const reservedFor = [{ resource: 'pods', name: 'other', uid: 'other-uid' }];
    expect(text({ ...claim(), status: { ...status, reservedFor } } as ResourceClaim)).toBe(
      `${refusal} still not schedulable, ${PREEMPTION}`,
    );
  });
});

describe('a pod with an extended resource of a device class', () => {
  it('fits nodes that have devices, without a device plugin', () => {
    const objects = [node('a'), node('b'), CLASS, slice('a', [{ name: 'gpu-0' }])];
    expect(verdicts(place(objects, pod('web', asking)))).toEqual({ a: 'feasible', b: 'infeasible' });
  });
});

describe('the score', () => {
  it('prefers nodes where earlier alternatives can be had, and skips pods without alternatives', () => {
    const { exactly } = REQUEST;
    const firstAvailable = [
      { ...exactly!, count: 2, name: 'two' },
      { ...exactly!, name: 'one' },
    ];
    const state = ClusterState.build(
      [
        node('a'),
        node('b'),
        CLASS,
        claim('gpu', [{ name: 'gpu', firstAvailable }]),
        slice('a', [{ name: 'gpu-0' }]),
        slice('b', [{ name: 'gpu-0' }, { name: 'gpu-1' }]),
      ],
      KINDS,
    );
    const scores = [{ plugin: dynamicResourcesScore, weight: 2 }];
    const ranked = (asked: Pod): ReturnType<typeof rankNodes> =>
      rankNodes(state, { pod: asked, nodes: Int32Array.of(0, 1), gates: DEFAULT_GATES, scores, args: {} as never });
    const ranking = ranked(pod('web', byName));
    expect(Array.from(ranking.plugins[0]!.scores!.raw)).toEqual([7, 8]);
    expect(Array.from(ranking.totals)).toEqual([174, 200]);
    expect(ranked(pod('web', {})).plugins[0]!.scores).toBeUndefined();
  });
});
