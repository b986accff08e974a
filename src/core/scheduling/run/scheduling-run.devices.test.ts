import { DEFAULT_GATES } from '../../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { Dice } from '../../../../test/support/dice.js';
import { ClusterState } from '../../cluster/cluster-state.js';
import { KINDS } from '../../kubernetes/kinds.js';
import type {
  Device,
  DeviceClass,
  DeviceRequest,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceSlice,
} from '../../kubernetes/objects/dra.js';
import type { KubernetesObject } from '../../kubernetes/objects/meta.js';
import type { Pod, PodSpec } from '../../kubernetes/objects/pod.js';
import { DEFAULT_PROFILE } from '../../scheduler-configuration/default-profile.js';
import { profilePlugins } from '../profile-plugins.js';
import { schedulePod } from '../schedule-pod.js';
import { SchedulingRun, type RunDecision } from './scheduling-run.js';

const PROFILE = profilePlugins(DEFAULT_PROFILE, DEFAULT_GATES);
const DRIVER = 'gpu.example.com';
const API = 'resource.k8s.io/v1';
const ALL = KINDS.map(({ kind }) => kind);

const node = (name: string): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    status: { allocatable: { cpu: '64', pods: '110' } },
  }) as KubernetesObject;
const gpuClass: DeviceClass = {
  apiVersion: API,
  kind: 'DeviceClass',
  metadata: { name: 'gpu' },
  spec: { extendedResourceName: 'example.com/gpu' },
};
type SliceSpec = NonNullable<ResourceSlice['spec']>;
const slice = (on: string, devices: readonly Device[], more: Partial<SliceSpec> = {}): ResourceSlice => ({
  apiVersion: API,
  kind: 'ResourceSlice',
  metadata: { name: `${on}-${more.sharedCounters === undefined ? 'devices' : 'counters'}` },
  spec: { driver: DRIVER, nodeName: on, pool: { name: on, generation: 1, resourceSliceCount: 1 }, devices, ...more },
});
const wants = (more: Partial<NonNullable<DeviceRequest['exactly']>> = {}, name = 'gpu'): DeviceRequest => ({
  name,
  exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1, ...more },
});
const template = (name: string, requests: readonly DeviceRequest[]): ResourceClaimTemplate => ({
  apiVersion: API,
  kind: 'ResourceClaimTemplate',
  metadata: { name, namespace: 'default' },
  spec: { spec: { devices: { requests } } },
});
const pod = (name: string, spec: Partial<PodSpec>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main' }], ...spec },
});
const from = (resourceClaimTemplateName: string): Partial<PodSpec> => ({
  resourceClaims: [{ name: 'gpu', resourceClaimTemplateName }],
});
const gpus = (...names: readonly string[]): readonly Device[] => names.map((name) => ({ name }));

const runOn = (...objects: readonly KubernetesObject[]): SchedulingRun =>
  new SchedulingRun(ClusterState.build([gpuClass, ...objects], ALL), PROFILE);

function told(run: SchedulingRun, decision: RunDecision): string {
  if (decision.outcome === 'placed') return run.nodeName(decision.node);
  return decision.outcome === 'error' ? decision.message : (decision.placement().message().text ?? '');
}
const places = (run: SchedulingRun, names: readonly string[], spec: Partial<PodSpec>): readonly string[] =>
  names.map((name) => told(run, run.schedule(pod(name, spec))));

const NONE_LEFT =
  '0/1 nodes are available: 1 cannot allocate all claims. still not schedulable, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
const stopped = (message: string): string => message.split('. ')[0]!;

describe('a run of pods with device claims', () => {
  it('gives each pod devices of its own, and the next none once all are taken', () => {
    const run = runOn(node('a'), slice('a', gpus('gpu-0', 'gpu-1')), template('one', [wants()]));
    const [first, second, third] = places(run, ['p', 'q', 'r'], from('one'));
    expect([first, second, stopped(third!)]).toEqual(['a', 'a', stopped(NONE_LEFT)]);
    const claims = run.state().objects('ResourceClaim') as readonly ResourceClaim[];
    expect(claims.map(({ metadata, status }) => [metadata.name, status?.allocation?.devices?.results])).toEqual([
      ['p-gpu', [{ request: 'gpu', driver: DRIVER, pool: 'a', device: 'gpu-0' }]],
      ['q-gpu', [{ request: 'gpu', driver: DRIVER, pool: 'a', device: 'gpu-1' }]],
    ]);
    expect(claims[0]).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'Pod', name: 'p', controller: true }] },
      status: {
        allocation: { nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ values: ['a'] }] }] } },
        reservedFor: [{ resource: 'pods', name: 'p' }],
      },
    });
    expect(run.state().pods.pod(run.state().pods.indexOf('default', 'p')).status?.resourceClaimStatuses).toEqual([
      { name: 'gpu', resourceClaimName: 'p-gpu' },
    ]);
  });

  it('puts pods that share a claim by name where its devices are', () => {
    const shared: ResourceClaim = {
      apiVersion: API,
      kind: 'ResourceClaim',
      metadata: { name: 'shared', namespace: 'default' },
      spec: { devices: { requests: [wants()] } },
    };
    const run = runOn(node('a'), node('b'), slice('b', gpus('gpu-0')), shared);
    expect(places(run, ['p', 'q'], { resourceClaims: [{ name: 'gpu', resourceClaimName: 'shared' }] })).toEqual([
      'b',
      'b',
    ]);
    const claim = run.state().find('ResourceClaim', 'default', 'shared') as ResourceClaim;
    expect(claim.status?.reservedFor?.map(({ name }) => name)).toEqual(['p', 'q']);
  });

  it('takes the counters of partitions', () => {
    const consumes = (value: string): Pick<Device, 'consumesCounters'> => ({
      consumesCounters: [{ counterSet: 'whole', counters: { memory: { value } } }],
    });
    const pool = { name: 'a', generation: 1, resourceSliceCount: 2 };
    const run = runOn(
      node('a'),
      slice('a', [], { pool, sharedCounters: [{ name: 'whole', counters: { memory: { value: '40Gi' } } }] }),
      slice(
        'a',
        ['p0', 'p1', 'p2'].map((name) => ({ name, ...consumes('20Gi') })),
        { pool },
      ),
      template('one', [wants()]),
    );
    const [first, second, third] = places(run, ['p', 'q', 'r'], from('one'));
    expect([first, second, stopped(third!)]).toEqual(['a', 'a', stopped(NONE_LEFT)]);
  });

  it('consumes the capacity of devices that can be shared', () => {
    const shared: Device = { name: 'gpu-0', allowMultipleAllocations: true, capacity: { memory: { value: '40Gi' } } };
    const asked = template('some', [wants({ capacity: { requests: { memory: '15Gi' } } })]);
    const run = runOn(node('a'), slice('a', [shared]), asked);
    const [first, second, third] = places(run, ['p', 'q', 'r'], from('some'));
    expect([first, second, stopped(third!)]).toEqual(['a', 'a', stopped(NONE_LEFT)]);
    const claim = run.state().find('ResourceClaim', 'default', 'p-gpu') as ResourceClaim;
    expect(claim.status?.allocation?.devices?.results).toMatchObject([
      { device: 'gpu-0', shareID: 'p-gpu-0', consumedCapacity: { memory: '15Gi' } },
    ]);
  });

  it('allocates extended resources that a class stands behind', () => {
    const run = runOn(node('a'), slice('a', gpus('gpu-0', 'gpu-1')));
    const asking = { containers: [{ name: 'main', resources: { requests: { 'example.com/gpu': '1' } } }] };
    const [first, second, third] = places(run, ['p', 'q', 'r'], asking);
    expect([first, second, stopped(third!)]).toEqual(['a', 'a', stopped(NONE_LEFT)]);
    const { pods } = run.state();
    expect(pods.pod(pods.indexOf('default', 'p')).status?.extendedResourceClaimStatus).toEqual({
      resourceClaimName: 'p-extended-resources',
      requestMappings: [
        { containerName: 'main', resourceName: 'example.com/gpu', requestName: 'container-0-request-0' },
      ],
    });
  });

  it('does not take the name of a claim that somebody else has', () => {
    const other: ResourceClaim = {
      apiVersion: API,
      kind: 'ResourceClaim',
      metadata: { name: 'p-gpu', namespace: 'default' },
    };
    const run = runOn(node('a'), slice('a', gpus('gpu-0')), template('one', [wants()]), other);
    expect(places(run, ['p'], from('one'))).toEqual(['a']);
    expect(run.state().find('ResourceClaim', 'default', 'p-gpu')).toBe(other);
  });
});

/** What a run remembers from pod to pod is compared with states that are read anew. */
describe('a run over random devices', () => {
  it.each(Array.from({ length: 40 }, (_, seed) => seed))(
    'decides and allocates as in a state that is read anew (%i)',
    (seed) => {
      const dice = new Dice(seed + 1);
      const run = new SchedulingRun(ClusterState.build(randomDevices(dice), ALL), PROFILE);
      for (let index = 0; index < 8; index++) {
        const next = randomPod(dice, `p${index}`);
        const before = run.state();
        const anew = ClusterState.build(
          ALL.flatMap((kind) => before.objects(kind).map((object) => structuredClone(object))),
          ALL,
        );
        const expected = schedulePod(anew, next, PROFILE);
        const decision = run.schedule(next);
        expect(told(run, decision)).toEqual(
          expected.outcome === 'placed'
            ? run.nodeName(expected.node)
            : expected.outcome === 'error'
              ? expected.message
              : (expected.placement.message().text ?? ''),
        );
        const afresh = new SchedulingRun(anew, PROFILE);
        afresh.schedule(next);
        expect(run.state().objects('ResourceClaim')).toEqual(afresh.state().objects('ResourceClaim'));
      }
    },
  );
});

const MODEL_X = [{ cel: { expression: `device.attributes["${DRIVER}"].model == "x"` } }];

const TEMPLATES: readonly ResourceClaimTemplate[] = [
  template('one', [wants()]),
  template('x', [wants({ selectors: MODEL_X })]),
  template('two', [wants({ count: 2 })]),
  template('all', [wants({ allocationMode: 'All', selectors: MODEL_X })]),
  template('admin', [wants({ adminAccess: true })]),
  template('some', [wants({ capacity: { requests: { memory: '1' } }, tolerations: [{ operator: 'Exists' }] })]),
  template('patient', [wants({ tolerations: [{ key: 'broken', effect: 'NoExecute', tolerationSeconds: 60 }] })]),
  template('either', [
    {
      name: 'gpu',
      firstAvailable: [
        { ...wants({ selectors: MODEL_X }).exactly!, name: 'x' },
        { ...wants().exactly!, name: 'any' },
      ],
    },
  ]),
  {
    ...template('alike', []),
    spec: {
      spec: {
        devices: {
          requests: [wants({}, 'first'), wants({}, 'second')],
          constraints: [{ matchAttribute: `${DRIVER}/model` }],
        },
      },
    },
  },
];

/** Three nodes with pools of their own, partitioned or not, complete or not, and devices that several of them reach. */
function randomDevices(dice: Dice): readonly KubernetesObject[] {
  const nodes = ['a', 'b', 'c'];
  const objects: KubernetesObject[] = [gpuClass, ...TEMPLATES];
  const zoneOf = (): Record<string, string> => ({ zone: dice.one(['east', 'west']) });
  objects.push(...nodes.map((name) => ({ ...node(name), metadata: { name, labels: zoneOf() } })));
  const device = (name: string): Device => ({
    name,
    attributes: { model: { string: dice.one(['x', 'y']) } },
    ...(dice.chance(30) && { allowMultipleAllocations: true, capacity: { memory: { value: '4' } } }),
    ...(dice.chance(20) && { taints: [{ key: 'broken', effect: dice.one(['NoSchedule', 'NoExecute']) }] }),
  });
  for (const on of nodes) {
    const isPartitioned = dice.chance(40);
    const generation = dice.chance(20) ? 2 : 1;
    const pool = { name: on, generation, resourceSliceCount: isPartitioned ? 2 : dice.chance(10) ? 2 : 1 };
    const devices = Array.from({ length: dice.below(4) + 1 }, (_, index): Device => ({
      ...device(`gpu-${index}`),
      ...(isPartitioned && {
        consumesCounters: [{ counterSet: 'c', counters: { m: { value: dice.one(['1', '2']) } } }],
      }),
    }));
    objects.push(slice(on, devices, { pool }));
    if (generation === 2) {
      const old = slice(on, [device('old')]);
      objects.push({ ...old, metadata: { name: `${on}-old` } });
    }
    if (isPartitioned) {
      objects.push(slice(on, [], { pool, sharedCounters: [{ name: 'c', counters: { m: { value: '4' } } }] }));
    }
  }
  const east = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['east'] }] }] };
  const reached = (name: string, of: Partial<SliceSpec>): ResourceSlice => {
    const made = slice(name, [device('net-0'), device('net-1')]);
    const { driver, pool, devices } = made.spec!;
    return { ...made, spec: { driver, ...(pool && { pool }), ...(devices && { devices }), ...of } };
  };
  if (dice.chance(40)) objects.push(reached('everywhere', { allNodes: true }));
  if (dice.chance(40)) objects.push(reached('east', { nodeSelector: east }));
  if (dice.chance(40)) {
    const devices = [
      { ...device('b'), nodeName: 'b' },
      { ...device('east'), nodeSelector: east },
    ];
    objects.push(reached('each', { perDeviceNodeSelection: true, devices }));
  }
  for (const name of ['shared-0', 'shared-1']) {
    const { spec } = dice.one(TEMPLATES).spec!;
    objects.push({
      apiVersion: API,
      kind: 'ResourceClaim',
      metadata: { name, namespace: 'default' },
      spec,
    } as ResourceClaim);
  }
  return objects;
}

/** Up to two claims, from templates or shared with other pods, or an extended resource. */
function randomPod(dice: Dice, name: string): Pod {
  if (dice.chance(15)) {
    return pod(name, { containers: [{ name: 'main', resources: { requests: { 'example.com/gpu': '1' } } }] });
  }
  const resourceClaims = ['gpu', 'more']
    .slice(0, dice.below(2) + 1)
    .map((entry) =>
      dice.chance(25)
        ? { name: entry, resourceClaimName: dice.one(['shared-0', 'shared-1']) }
        : { name: entry, resourceClaimTemplateName: dice.one(TEMPLATES).metadata.name },
    );
  return pod(name, { resourceClaims });
}
