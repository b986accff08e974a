import { describe, expect, it } from '@jest/globals';
import { microsecondsOf } from '../kubernetes/moment.js';
import type {
  Device,
  DeviceClass,
  DeviceRequest,
  DeviceTaintRule,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceSlice,
} from '../kubernetes/objects/dra.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodResourceClaim } from '../kubernetes/objects/pod.js';
import { claimsOfPod, ClusterDevices, preparePod, type DeviceObjects, type NodeDevices } from './dynamic-resources.js';

const DRIVER = 'gpu.example.com';
const API = 'resource.k8s.io/v1';
const NOW = BigInt(microsecondsOf('2026-03-01T10:00:00Z')!) * 1000n;

const CLASS: DeviceClass = {
  apiVersion: API,
  kind: 'DeviceClass',
  metadata: { name: 'gpu' },
  spec: { selectors: [{ cel: { expression: `device.driver == "${DRIVER}"` } }] },
};

const node = (name = 'node-a', labels: Record<string, string> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec: {},
});

const gpu = (name: string, more: Partial<Device> = {}): Device => ({ name, ...more });

const slice = (
  devices: readonly Device[],
  more: Partial<NonNullable<ResourceSlice['spec']>> = {},
  name = 'slice',
): ResourceSlice => ({
  apiVersion: API,
  kind: 'ResourceSlice',
  metadata: { name },
  spec: {
    driver: DRIVER,
    nodeName: 'node-a',
    pool: { name: 'node-a', generation: 1, resourceSliceCount: 1 },
    devices,
    ...more,
  },
});

const exactly = (more: Partial<ExactDeviceRequest> = {}): ExactDeviceRequest => ({
  deviceClassName: 'gpu',
  allocationMode: 'ExactCount',
  count: 1,
  ...more,
});

const request = (more: Partial<ExactDeviceRequest> = {}, name = 'gpu'): DeviceRequest => ({
  name,
  exactly: exactly(more),
});

type Constraints = NonNullable<NonNullable<ResourceClaim['spec']>['devices']>['constraints'];

const claim = (requests: readonly DeviceRequest[], constraints: Constraints = [], name = 'gpu'): ResourceClaim => ({
  apiVersion: API,
  kind: 'ResourceClaim',
  metadata: { name, namespace: 'default' },
  spec: { devices: { requests, constraints } },
});

const allocated = (
  device: string,
  more: Partial<NonNullable<ResourceClaim['status']>['allocation']> = {},
  name = 'other',
): ResourceClaim => ({
  ...claim([request()], [], name),
  status: {
    allocation: { devices: { results: [{ request: 'gpu', driver: DRIVER, pool: 'node-a', device }] }, ...more },
  },
});

const pod = (claims: readonly PodResourceClaim[] = [{ name: 'gpu', resourceClaimName: 'gpu' }]): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', uid: 'web-uid' },
  spec: { containers: [{ name: 'main' }], resourceClaims: claims },
});

const cluster = (objects: Partial<DeviceObjects>): ClusterDevices =>
  ClusterDevices.of({ claims: [], classes: [CLASS], slices: [], taintRules: [], ...objects });

function on(objects: Partial<DeviceObjects>, of = node(), asked = pod()): NodeDevices {
  const prepared = preparePod(cluster(objects), asked, NOW);
  if (prepared.code !== 'Success') throw new Error(JSON.stringify(prepared));
  return prepared.pod.on(of);
}

/** The devices that the pod would get, or what the plugin says. */
function devicesOn(objects: Partial<DeviceObjects>, of = node(), asked = pod()): unknown {
  const found = on(objects, of, asked);
  if (found.code !== 'Success') return 'message' in found ? `${found.code}: ${found.message}` : found;
  return found.allocations.flatMap(({ devices }) =>
    devices.map(({ request: name, candidate }) => `${name} ${candidate.device.name}`),
  );
}

/** What keeps the claims from being allocated together. */
function obstacles(objects: Partial<DeviceObjects>): unknown {
  const prepared = preparePod(cluster(objects), pod(), NOW);
  if (prepared.code !== 'Success') throw new Error(JSON.stringify(prepared));
  return prepared.pod.shortagesOn(node()).map((shortage) => shortage.obstacles);
}

const NONE = 'UnschedulableAndUnresolvable: cannot allocate all claims';

describe('the claims of a pod', () => {
  const problem = (claims: readonly ResourceClaim[], asked = pod()): unknown => claimsOfPod(cluster({ claims }), asked);
  const refused = (message: string): unknown =>
    expect.objectContaining({ code: 'UnschedulableAndUnresolvable', message });

  it('have to exist', () => {
    expect(problem([])).toEqual(refused('could not find ResourceClaim "default/gpu"'));
  });

  it('block the pod while they are being deleted, even if they are allocated', () => {
    const deleted = allocated('gpu-0', {}, 'gpu');
    expect(
      problem([{ ...deleted, metadata: { ...deleted.metadata, deletionTimestamp: '2026-03-01T10:00:00Z' } }]),
    ).toEqual(refused('resourceclaim "gpu" is being deleted'));
  });

  it('from a template are found by the status of the pod', () => {
    const templated = pod([{ name: 'gpu', resourceClaimTemplateName: 'template' }]);
    expect(problem([], templated)).toEqual(refused('pod "default/web": ResourceClaim not created yet'));
    const status = { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'gpu' }] };
    expect(problem([claim([])], { ...templated, status })).toEqual(
      refused('ResourceClaim default/gpu was not created for Pod default/web (Pod is not owner)'),
    );
    expect(problem([], { ...templated, status: { resourceClaimStatuses: [{ name: 'gpu' }] } })).toMatchObject({
      claims: [],
    });
  });

  it('need classes that exist, unless they are allocated', () => {
    const found = (claims: readonly ResourceClaim[]): string =>
      preparePod(cluster({ claims, classes: [] }), pod(), NOW).code;
    expect(found([claim([request()])])).toBe('UnschedulableAndUnresolvable');
    expect(found([allocated('gpu-0', {}, 'gpu')])).toBe('Success');
  });
});

describe('the first fit', () => {
  it('takes devices in the order of pools, slices by name, and devices as listed', () => {
    const pool = { name: 'node-a', generation: 1, resourceSliceCount: 2 };
    const slices = [
      slice([gpu('b')], { pool }, 'slice-2'),
      slice([gpu('z'), gpu('a')], { pool }, 'slice-1'),
      slice([gpu('first')], { driver: DRIVER, pool: { ...pool, name: 'a-pool', resourceSliceCount: 1 } }, 'other'),
    ];
    expect(devicesOn({ claims: [claim([request({ count: 4 })])], slices })).toEqual([
      'gpu first',
      'gpu z',
      'gpu a',
      'gpu b',
    ]);
  });

  it('goes back if a later request needs a device that an earlier one took', () => {
    const slices = [
      slice([gpu('big', { attributes: { size: { int: 2 } } }), gpu('small', { attributes: { size: { int: 1 } } })]),
    ];
    const big = { cel: { expression: `device.attributes["${DRIVER}"].size > 1` } };
    const requests = [request({}, 'any'), request({ selectors: [big] }, 'big')];
    expect(devicesOn({ claims: [claim(requests)], slices })).toEqual(['any small', 'big big']);
  });

  it('skips devices that any claim has, of any namespace', () => {
    const other = allocated('gpu-0');
    const claims = [claim([request()]), { ...other, metadata: { name: 'x', namespace: 'team-b' } }];
    expect(devicesOn({ claims, slices: [slice([gpu('gpu-0'), gpu('gpu-1')])] })).toEqual(['gpu gpu-1']);
    expect(devicesOn({ claims, slices: [slice([gpu('gpu-0')])] })).toBe(NONE);
  });

  it('gives a device in use with admin access, but not one with a taint', () => {
    const claims = [claim([request({ adminAccess: true })]), allocated('gpu-0')];
    expect(devicesOn({ claims, slices: [slice([gpu('gpu-0')])] })).toEqual(['gpu gpu-0']);
    const taints = [{ key: 'broken', effect: 'NoSchedule' }];
    expect(devicesOn({ claims, slices: [slice([gpu('gpu-0', { taints })])] })).toBe(NONE);
  });

  it('takes a tainted device only for a request that tolerates the taint', () => {
    const slices = [slice([gpu('gpu-0', { taints: [{ key: 'broken', effect: 'NoExecute' }] })])];
    expect(devicesOn({ claims: [claim([request()])], slices })).toBe(NONE);
    const tolerations = [{ key: 'broken', operator: 'Exists', tolerationSeconds: 1 }];
    expect(devicesOn({ claims: [claim([request({ tolerations })])], slices })).toEqual(['gpu gpu-0']);
  });

  it('sees the taint of a DeviceTaintRule on every device that it selects, or on all without a selector', () => {
    const rule = (deviceSelector?: { device: string }): DeviceTaintRule => ({
      apiVersion: 'resource.k8s.io/v1beta2',
      kind: 'DeviceTaintRule',
      metadata: { name: 'broken' },
      spec: { ...(deviceSelector && { deviceSelector }), taint: { key: 'broken', effect: 'NoSchedule' } },
    });
    const objects = { claims: [claim([request()])], slices: [slice([gpu('gpu-0'), gpu('gpu-1')])] };
    expect(devicesOn({ ...objects, taintRules: [rule({ device: 'gpu-0' })] })).toEqual(['gpu gpu-1']);
    expect(devicesOn({ ...objects, taintRules: [rule()] })).toBe(NONE);
  });

  it('leaves the counters of a refused device consumed, as upstream does', () => {
    const pool = { name: 'node-a', generation: 1, resourceSliceCount: 2 };
    const uses = (value: string): Partial<Device> => ({
      consumesCounters: [{ counterSet: 'gpu', counters: { memory: { value } } }],
    });
    const counters = slice(
      [],
      { pool, sharedCounters: [{ name: 'gpu', counters: { memory: { value: '40Gi' } } }] },
      'counters',
    );
    const taints = [{ key: 'broken', effect: 'NoSchedule' }];
    const whole = gpu('whole', { ...uses('40Gi'), taints });
    const half = gpu('half', uses('20Gi'));
    const claims = [claim([request()])];
    expect(devicesOn({ claims, slices: [counters, slice([half, whole], { pool })] })).toEqual(['gpu half']);
    expect(devicesOn({ claims, slices: [counters, slice([whole, half], { pool })] })).toBe(NONE);
  });

  it('takes no partition of what a device in use has consumed', () => {
    const pool = { name: 'node-a', generation: 1, resourceSliceCount: 2 };
    const consumesCounters = [{ counterSet: 'gpu', counters: { memory: { value: '20Gi' } } }];
    const slices = [
      slice([], { pool, sharedCounters: [{ name: 'gpu', counters: { memory: { value: '40Gi' } } }] }, 'counters'),
      slice(
        ['a', 'b', 'c'].map((name) => gpu(name, { consumesCounters })),
        { pool },
      ),
    ];
    expect(devicesOn({ claims: [claim([request()]), allocated('a')], slices })).toEqual(['gpu b']);
    const claims = [claim([request({ count: 2 })]), allocated('a')];
    expect(devicesOn({ claims, slices })).toBe(NONE);
    expect(obstacles({ claims, slices })).toEqual([[{ kind: 'CounterSet', name: 'gpu', pool: `${DRIVER}/node-a` }]]);
    // Too few devices are there in any case.
    expect(obstacles({ claims: [claim([request({ count: 3 })]), allocated('a')], slices })).toEqual([[]]);
  });

  it('takes the first alternative with which everything can be allocated, and scores it by its place', () => {
    const alternatives = [
      { ...exactly({ count: 2 }), name: 'two' },
      { ...exactly(), name: 'one' },
    ];
    const list: DeviceRequest = { name: 'gpu', firstAvailable: alternatives };
    const slices = [slice([gpu('gpu-0'), gpu('gpu-1')])];
    expect(devicesOn({ claims: [claim([list])], slices })).toEqual(['gpu/two gpu-0', 'gpu/two gpu-1']);
    const both = { claims: [claim([list, request({}, 'more')])], slices };
    expect(devicesOn(both)).toEqual(['gpu/one gpu-0', 'more gpu-1']);
    expect(on(both)).toMatchObject({ score: 7 });
  });

  it('shares a device up to its capacity, and not beyond', () => {
    const shared = gpu('gpu-0', { allowMultipleAllocations: true, capacity: { memory: { value: '40Gi' } } });
    const capacity = { requests: { memory: '15Gi' } };
    const wanted = (count: number): readonly DeviceRequest[] =>
      Array.from({ length: count }, (_, index) => request({ capacity }, `r${index}`));
    expect(devicesOn({ claims: [claim(wanted(2))], slices: [slice([shared])] })).toEqual(['r0 gpu-0', 'r1 gpu-0']);
    expect(devicesOn({ claims: [claim(wanted(3))], slices: [slice([shared])] })).toBe(NONE);
  });

  it('refuses more devices than a claim can have', () => {
    expect(devicesOn({ claims: [claim([request({ count: 33 })])] })).toBe(
      'Error: claim default/gpu: number of requested devices 33 exceeds the claim limit of 32',
    );
  });

  it('does not know what takes too long to find, instead of searching on', () => {
    const devices = Array.from({ length: 60 }, (_, index) =>
      gpu(`gpu-${index}`, { attributes: { n: { int: index } } }),
    );
    const never = { cel: { expression: `device.attributes["${DRIVER}"].n < 0` } };
    const claims = [claim([request({ count: 16 }), request({ selectors: [never] }, 'never')])];
    expect(on({ claims, slices: [slice(devices)] })).toMatchObject({ code: 'Unknown' });
  });

  it('does not know about claims with more requests than the API server accepts, instead of overflowing the stack', () => {
    const requests = Array.from({ length: 50_000 }, (_, index) => request({ count: 0 }, `r${index}`));
    expect(on({ claims: [claim(requests)] })).toMatchObject({ code: 'Unknown' });
  });
});

describe('selectors that cost much', () => {
  const numbers = (count: number): string => `[${Array.from({ length: count }, (_, index) => index).join()}]`;
  /** Costs about the cube of `count`, and selects no device. */
  const costly = (count: number, inner = 'a + b + c'): string =>
    `!${numbers(count)}.all(a, ${numbers(count)}.all(b, ${numbers(count)}.all(c, ${inner} >= 0)))`;
  const looking = costly(25, 'a + b + c + size(device.driver)');
  const wanting = (expression: string): ResourceClaim => claim([request({ selectors: [{ cel: { expression } }] })]);
  const gpus = (count: number): readonly ResourceSlice[] => [
    slice(Array.from({ length: count }, (_, index) => gpu(`gpu-${index}`))),
  ];

  it('end the attempt where one costs more than Kubernetes allows for a device', () => {
    expect(devicesOn({ claims: [wanting(costly(60))], slices: gpus(1) })).toBe(
      'Error: claim default/gpu: selector #0: CEL runtime error: operation cancelled: actual cost limit exceeded',
    );
  });

  it('are not asked any more once they have cost too much for a pod, on this node or on the next ones', () => {
    const tooMuch = { code: 'Unknown', why: 'the selectors cost more than 5000000' };
    const claims = [wanting(looking)];
    expect(devicesOn({ claims, slices: gpus(10) })).toBe(NONE);
    const prepared = preparePod(cluster({ claims, slices: gpus(100) }), pod(), NOW);
    if (prepared.code !== 'Success') throw new Error(JSON.stringify(prepared));
    expect(prepared.pod.on(node())).toEqual(tooMuch);
    expect(prepared.pod.shortagesOn(node())).toEqual([]);
  });

  it('of DeviceTaintRules leave it unknown which devices are tainted', () => {
    const rule: DeviceTaintRule = {
      apiVersion: 'resource.k8s.io/v1alpha3',
      kind: 'DeviceTaintRule',
      metadata: { name: 'costly' },
      spec: {
        deviceSelector: { selectors: [{ cel: { expression: looking } }] },
        taint: { key: 'broken', effect: 'NoSchedule' },
      },
    };
    const objects = { claims: [claim([request()])], taintRules: [rule] };
    expect(devicesOn({ ...objects, slices: gpus(10) })).toEqual(['gpu gpu-0']);
    expect(on({ ...objects, slices: gpus(100) })).toEqual({
      code: 'Unknown',
      why: 'in DeviceTaintRules, the selectors cost more than 5000000',
    });
  });

  it('are evaluated once for all devices if they do not look at them', () => {
    expect(devicesOn({ claims: [wanting(costly(25))], slices: gpus(100) })).toBe(NONE);
  });

  it('cost every pod the same, also where the answers are remembered', () => {
    const devices = cluster({ claims: [wanting(looking)], slices: gpus(100) });
    const answers = ['first', 'second'].map(() => {
      const prepared = preparePod(devices, pod(), NOW);
      return prepared.code === 'Success' ? prepared.pod.on(node()).code : prepared.code;
    });
    expect(answers).toEqual(['Unknown', 'Unknown']);
  });
});

describe('a request for all devices', () => {
  const all = [claim([request({ allocationMode: 'All', count: 0 })])];

  it('takes each that the selectors match, and none if one is in use', () => {
    const slices = [slice([gpu('gpu-0'), gpu('gpu-1')])];
    expect(devicesOn({ claims: all, slices })).toEqual(['gpu gpu-0', 'gpu gpu-1']);
    expect(devicesOn({ claims: [...all, allocated('gpu-1')], slices })).toBe(NONE);
    expect(devicesOn({ claims: all })).toBe(NONE);
  });

  it('fails as long as a pool is incomplete, where other requests skip it', () => {
    const pool = { name: 'node-a', generation: 1, resourceSliceCount: 2 };
    const slices = [slice([gpu('gpu-0')], { pool })];
    expect(devicesOn({ claims: all, slices })).toBe(
      'Error: claim default/gpu, request gpu: asks for all devices, but resource pool gpu.example.com/node-a is currently being updated',
    );
    expect(devicesOn({ claims: [claim([request()])], slices })).toBe(NONE);
  });

  it('fails if a device violates a constraint', () => {
    const claims = [claim([request({ allocationMode: 'All' })], [{ matchAttribute: `${DRIVER}/model` }])];
    const slices = [slice([gpu('gpu-0', { attributes: { model: { string: 'a' } } }), gpu('gpu-1')])];
    expect(devicesOn({ claims, slices })).toBe(
      'Error: claim default/gpu, request gpu: cannot add device gpu.example.com/node-a/gpu-1 because a claim constraint would not be satisfied',
    );
  });
});

describe('a constraint', () => {
  const models = (...names: readonly string[]): ResourceSlice[] => [
    slice(names.map((name, index) => gpu(`gpu-${index}`, { attributes: { model: { string: name } } }))),
  ];

  it('matchAttribute takes devices with the same value', () => {
    const claims = [claim([request({ count: 2 })], [{ matchAttribute: `${DRIVER}/model` }])];
    expect(devicesOn({ claims, slices: models('a', 'b', 'b') })).toEqual(['gpu gpu-1', 'gpu gpu-2']);
    expect(devicesOn({ claims, slices: models('a', 'b') })).toBe(NONE);
  });

  it('that compares lists is not evaluated, because the feature gate decides', () => {
    const lists = [slice(['a', 'b'].map((name) => gpu(name, { attributes: { model: { strings: ['t4'] } } })))];
    const anything: DeviceClass = { ...CLASS, spec: {} };
    const asked = (constraints: Constraints): unknown =>
      devicesOn({ classes: [anything], claims: [claim([request({ count: 2 })], constraints)], slices: lists });
    const of = (kind: string): Constraints => [{ [kind]: `${DRIVER}/model` }];
    expect(asked([])).toEqual(['gpu a', 'gpu b']);
    expect(asked(of('matchAttribute'))).toEqual({
      code: 'Unknown',
      why: 'a constraint compares attributes that are lists (feature gate DRAListTypeAttributes)',
    });
  });

  it('is named if the claims could be allocated without it, and only then', () => {
    const match = { matchAttribute: `${DRIVER}/model` };
    const distinct = { distinctAttribute: `${DRIVER}/model` };
    const two = [request({}, 'x'), request({}, 'y')];
    const named = (kind: string): object => ({ kind, name: `${DRIVER}/model`, claim: 'default/gpu' });
    const of = (constraints: readonly (typeof match | typeof distinct)[], slices: ResourceSlice[]): unknown =>
      obstacles({ claims: [claim(two, constraints)], slices });
    expect(of([match], models('a', 'b'))).toEqual([[named('MatchAttribute')], [named('MatchAttribute')]]);
    expect(of([distinct], models('a', 'a'))).toEqual([[named('DistinctAttribute')], [named('DistinctAttribute')]]);
    expect(of([match, distinct], models('a', 'a'))).toEqual([
      [named('DistinctAttribute')],
      [named('DistinctAttribute')],
    ]);
    // Without either of them, the other one still stands in the way.
    const other = { matchAttribute: `${DRIVER}/missing` };
    expect(of([match, other], models('a', 'b'))).toEqual([[], []]);
  });

  it('distinctAttribute compares devices of several requests, and those of one only with the one before', () => {
    const constraints = [{ distinctAttribute: `${DRIVER}/model` }];
    const two = [claim([request({}, 'x'), request({}, 'y')], constraints)];
    expect(devicesOn({ claims: two, slices: models('a', 'a', 'b') })).toEqual(['x gpu-0', 'y gpu-2']);
    expect(devicesOn({ claims: two, slices: models('a', 'a') })).toBe(NONE);
    const three = [claim([request({ count: 3 })], constraints)];
    expect(devicesOn({ claims: three, slices: models('a', 'b', 'a') })).toEqual([
      'gpu gpu-0',
      'gpu gpu-1',
      'gpu gpu-2',
    ]);
  });

  it('on the name of a request covers its alternatives, and on one alternative only that', () => {
    const list: DeviceRequest = { name: 'gpu', firstAvailable: [{ ...exactly({ count: 2 }), name: 'two' }] };
    const constrained = (name: string): ResourceClaim[] => [
      claim([list], [{ requests: [name], matchAttribute: `${DRIVER}/model` }]),
    ];
    expect(devicesOn({ claims: constrained('gpu'), slices: models('a', 'b') })).toBe(NONE);
    expect(devicesOn({ claims: constrained('gpu/two'), slices: models('a', 'b') })).toBe(NONE);
    expect(devicesOn({ claims: constrained('gpu/one'), slices: models('a', 'b') })).toHaveLength(2);
  });
});

describe('a device with a list among its attributes', () => {
  const lists: Device['attributes'] = { model: { string: 't4' }, modes: { strings: ['mig', 'mps'] } };
  const why = 'a selector uses the attributes of a device of which one is a list (feature gate DRAListTypeAttributes)';

  it('is not known to be selected, even by what does not read the list', () => {
    const claims = [claim([request()])];
    const slices = [slice([gpu('gpu-0', { attributes: lists })])];
    expect(devicesOn({ claims, slices })).toEqual({ code: 'Unknown', why });
    expect(devicesOn({ claims, slices: [slice([gpu('gpu-1'), gpu('gpu-0', { attributes: lists })])] })).toEqual([
      'gpu gpu-1',
    ]);
  });

  it('is not known to be selected by a class whose expression exists only with the feature gate', () => {
    const expression = `device.attributes["${DRIVER}"].model.includes("t4")`;
    const classes = [{ ...CLASS, spec: { selectors: [{ cel: { expression } }] } }];
    const slices = [slice([gpu('gpu-0', { attributes: { model: { string: 't4' } } })])];
    expect(devicesOn({ classes, claims: [claim([request()])], slices })).toEqual({
      code: 'Unknown',
      why: 'a selector uses includes() (feature gate DRAListTypeAttributes)',
    });
  });

  it('is an error without any value', () => {
    const claims = [claim([request()])];
    expect(devicesOn({ claims, slices: [slice([gpu('gpu-0', { attributes: { modes: {} } })])] })).toMatch(
      /attribute modes: unsupported attribute value/,
    );
  });

  it('leaves open what is tainted, where a rule selects by an expression', () => {
    const rule: DeviceTaintRule = {
      apiVersion: API,
      kind: 'DeviceTaintRule',
      metadata: { name: 'broken' },
      spec: {
        deviceSelector: { deviceClassName: 'gpu' },
        taint: { key: 'broken', effect: 'NoSchedule' },
      },
    };
    const claims = [claim([request()])];
    const slices = [slice([gpu('gpu-0', { attributes: lists })])];
    expect(devicesOn({ claims, slices, taintRules: [rule] })).toEqual({
      code: 'Unknown',
      why: `in DeviceTaintRules, ${why}`,
    });
  });
});

describe('the pools of a node', () => {
  const claims = [claim([request()])];

  it('with two devices of one name are invalid, which is the reason only if no other pool serves', () => {
    const twice = slice([gpu('gpu-0'), gpu('gpu-0')]);
    expect(devicesOn({ claims, slices: [twice] })).toBe(
      'UnschedulableAndUnresolvable: invalid resource pools were encountered',
    );
    const other = slice([gpu('spare')], { pool: { name: 'z', generation: 1, resourceSliceCount: 1 } }, 'other');
    expect(devicesOn({ claims, slices: [twice, other] })).toEqual(['gpu spare']);
  });

  it('are of the newest generation that the node can reach', () => {
    const pool = (generation: number): NonNullable<NonNullable<ResourceSlice['spec']>['pool']> => ({
      name: 'shared',
      generation,
      resourceSliceCount: 1,
    });
    const old = slice([gpu('old')], { pool: pool(1) }, 'old');
    expect(devicesOn({ claims, slices: [old, slice([gpu('new')], { pool: pool(2) }, 'new')] })).toEqual(['gpu new']);
    const elsewhere = slice([gpu('new')], { pool: pool(2), nodeName: 'node-b' }, 'new');
    expect(devicesOn({ claims, slices: [old, elsewhere] })).toEqual(['gpu old']);
  });

  it('have no devices while pages of the newest generation are missing, though an old one is complete', () => {
    const pool = { name: 'node-a', generation: 2, resourceSliceCount: 2 };
    const old = slice([gpu('old')], {}, 'old');
    const page = (name: string): ResourceSlice => slice([gpu(name)], { pool }, name);
    expect(devicesOn({ claims, slices: [old, page('new-0')] })).toBe(NONE);
    expect(devicesOn({ claims, slices: [old, page('new-0'), page('new-1')] })).toEqual(['gpu new-0']);
    expect(devicesOn({ claims, slices: [page('new-0'), page('new-1'), page('new-2')] })).toBe(NONE);
  });

  it('whose devices have binding conditions come last', () => {
    const pool = (name: string): NonNullable<NonNullable<ResourceSlice['spec']>['pool']> => ({
      name,
      generation: 1,
      resourceSliceCount: 1,
    });
    const slices = [
      slice([gpu('slow', { bindingConditions: ['attached'] })], { pool: pool('a') }, 'a'),
      slice([gpu('fast')], { pool: pool('b') }, 'b'),
    ];
    expect(devicesOn({ claims, slices })).toEqual(['gpu fast']);
  });
});

describe('the nodes of an allocation', () => {
  const selectorOf = (spec: Partial<NonNullable<ResourceSlice['spec']>>, device: Partial<Device> = {}): unknown => {
    const { driver, pool } = slice([]).spec!;
    const shared: ResourceSlice = {
      ...slice([]),
      spec: { driver, pool: pool!, devices: [gpu('gpu-0', device)], ...spec },
    };
    const found = on({ claims: [claim([request()])], slices: [shared] }, node('node-a', { zone: 'a' }));
    return found.code === 'Success' ? found.allocations[0]?.nodeSelector : found;
  };
  const zone = { key: 'zone', operator: 'In', values: ['a'] };
  const self = { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-a'] }] }] };

  it('are the node itself with a local device, or one that binds to the node', () => {
    expect(selectorOf({ nodeName: 'node-a' })).toEqual(self);
    expect(selectorOf({ allNodes: true }, { bindsToNode: true })).toEqual(self);
  });

  it('are those that the devices select, or all', () => {
    const nodeSelector = { nodeSelectorTerms: [{ matchExpressions: [zone] }] };
    expect(selectorOf({ nodeSelector })).toEqual(nodeSelector);
    expect(selectorOf({ perDeviceNodeSelection: true }, { nodeSelector })).toEqual(nodeSelector);
    expect(selectorOf({ allNodes: true })).toBeUndefined();
  });

  it('cannot be told for a slice whose selector has two terms', () => {
    const nodeSelector = { nodeSelectorTerms: [{ matchExpressions: [zone] }, { matchExpressions: [zone] }] };
    expect(selectorOf({ nodeSelector })).toMatchObject({
      code: 'Error',
      message: 'create NodeSelector for claim gpu: unsupported ResourceSlice.NodeSelector with 2 terms',
    });
  });
});

describe('an allocated claim', () => {
  const NOT_AVAILABLE = 'UnschedulableAndUnresolvable: resourceclaim not available on the node';

  it('can only be used on its nodes, whatever taint its device has got since', () => {
    const only = {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-a'] }] }],
    };
    const taints = [{ key: 'broken', effect: 'NoExecute' }];
    const objects = {
      claims: [allocated('gpu-0', { nodeSelector: only }, 'gpu')],
      slices: [slice([gpu('gpu-0', { taints })])],
    };
    expect(devicesOn(objects)).toEqual([]);
    expect(devicesOn(objects, node('node-b'))).toBe(NOT_AVAILABLE);
  });

  it('can still be used after its device has vanished, which stays in use when it comes back', () => {
    const [holder, asking] = [allocated('gpu-0', {}, 'gpu'), claim([request()], [], 'next')];
    const next = pod([{ name: 'gpu', resourceClaimName: 'next' }]);
    for (const slices of [[], [slice([])]]) {
      expect(devicesOn({ claims: [holder, asking], slices })).toEqual([]);
      expect(devicesOn({ claims: [holder, asking], slices }, node(), next)).toBe(NONE);
    }
    const back = [slice([gpu('gpu-0'), gpu('gpu-1')])];
    expect(devicesOn({ claims: [holder, asking], slices: back }, node(), next)).toEqual(['gpu gpu-1']);
  });

  it('takes nothing from counters once its partition has vanished', () => {
    const pool = { name: 'node-a', generation: 1, resourceSliceCount: 2 };
    const counters = slice([], { pool, sharedCounters: [{ name: 'c', counters: { m: { value: '1' } } }] }, 'counters');
    const part = (name: string): Device =>
      gpu(name, { consumesCounters: [{ counterSet: 'c', counters: { m: { value: '1' } } }] });
    const claims = [allocated('part-0'), claim([request()])];
    const withParts = (...names: readonly string[]): readonly ResourceSlice[] => [
      counters,
      slice(names.map(part), { pool }),
    ];
    expect(devicesOn({ claims, slices: withParts('part-0', 'part-1') })).toBe(NONE);
    expect(devicesOn({ claims, slices: withParts('part-1') })).toEqual(['gpu part-1']);
  });

  it('cannot be used once preparing its device has failed, or has taken too long', () => {
    const bound = (conditions: readonly { type: string; status: string }[], allocationTimestamp?: string): unknown => {
      const result = { request: 'gpu', driver: DRIVER, pool: 'node-a', device: 'gpu-0' };
      const results = [{ ...result, bindingConditions: ['attached'], bindingFailureConditions: ['failed'] }];
      const allocation = {
        devices: { results },
        ...(allocationTimestamp !== undefined && { allocationTimestamp }),
      };
      return devicesOn({
        claims: [{ ...claim([request()]), status: { allocation, devices: [{ ...result, conditions }] } }],
      });
    };
    expect(bound([{ type: 'attached', status: 'True' }])).toEqual([]);
    expect(bound([{ type: 'failed', status: 'True' }])).toBe(NOT_AVAILABLE);
    expect(bound([])).toEqual([]);
    expect(bound([], '2026-03-01T09:50:01Z')).toEqual([]);
    expect(bound([], '2026-03-01T09:49:59Z')).toBe(NOT_AVAILABLE);
  });
});

describe('extended resources of a pod', () => {
  const asking: Pod = {
    ...pod([]),
    spec: { containers: [{ name: 'main', resources: { requests: { 'example.com/gpu': '1' } } }] },
  };
  const classes = [{ ...CLASS, spec: { ...CLASS.spec, extendedResourceName: 'example.com/gpu' } }];
  const slices = [slice([gpu('gpu-0')])];

  it('are devices where the node has none from a device plugin', () => {
    expect(devicesOn({ classes, slices }, node(), asking)).toEqual(['container-0-request-0 gpu-0']);
    const plugin = { ...node(), status: { allocatable: { 'example.com/gpu': '2' } } };
    expect(devicesOn({ classes, slices }, plugin, asking)).toEqual([]);
    const none = { ...node(), status: { allocatable: { 'example.com/gpu': '0' } } };
    expect(devicesOn({ classes, slices }, none, asking)).toEqual(['container-0-request-0 gpu-0']);
  });

  it('are left to others if no class stands behind them', () => {
    expect(preparePod(cluster({ slices }), asking, NOW)).toEqual({ code: 'Skip' });
  });

  it('cannot be had while the claim of an earlier attempt is there', () => {
    const left: ResourceClaim = {
      ...claim([request()]),
      metadata: {
        name: 'web-extended-resources-x',
        namespace: 'default',
        annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'web-uid', controller: true }],
      },
    };
    expect(devicesOn({ classes, slices, claims: [left] }, node(), asking)).toBe(
      'UnschedulableAndUnresolvable: cannot schedule extended resource claim',
    );
  });
});
