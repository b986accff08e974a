import { DEFAULT_GATES } from '../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../cluster/cluster-state.js';
import { finish } from '../collections/finish.js';
import { KINDS, type KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject, Labels } from '../kubernetes/objects/meta.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Pod, PodSpec } from '../kubernetes/objects/pod.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import type { ReschedulingEvent, Rescheduling, RescheduledPod } from './rescheduling.js';
import { stepRescheduling, type ReschedulingOptions } from './step-rescheduling.js';

const LOADED = KINDS.map(({ kind }) => kind);
const MAINT: Taint = { key: 'maint', effect: 'NoExecute' };

interface NodeParts {
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: string;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly labels?: Labels;
}

function node(name: string, parts: NodeParts = {}): Node {
  const { cpu = '4', memory = '8Gi', pods = '110', taints, unschedulable, labels } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, ...(labels && { labels }) },
    spec: { ...(taints && { taints }), ...(unschedulable && { unschedulable }) },
    status: { allocatable: { cpu, memory, pods } },
  };
}

interface PodParts extends Partial<PodSpec> {
  readonly on?: string;
  /** The controller as `Kind/name`; its API version is that of the kind. */
  readonly of?: string;
  readonly cpu?: string;
  readonly memory?: string;
  readonly phase?: string;
  readonly labels?: Labels;
  readonly deleting?: boolean;
  readonly ownerUid?: string;
  readonly apiVersion?: string;
}

const VERSIONS: Readonly<Record<string, string>> = { Job: 'batch/v1', ReplicationController: 'v1', Node: 'v1' };
const versionOf = (kind: string): string => VERSIONS[kind] ?? 'apps/v1';

function pod(name: string, parts: PodParts = {}): Pod {
  const { on, of, cpu, memory, phase = 'Running', labels, deleting, ownerUid, apiVersion, ...spec } = parts;
  const [kind = '', owner = ''] = of?.split('/') ?? [];
  const requests = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      ...(labels && { labels }),
      ...(deleting === true && { deletionTimestamp: '2026-05-04T00:00:00Z' }),
      ...(of !== undefined && {
        ownerReferences: [
          { apiVersion: apiVersion ?? versionOf(kind), kind, name: owner, uid: ownerUid ?? owner, controller: true },
        ],
      }),
    },
    spec: { containers: [{ name: 'c', resources: { requests } }], ...(on !== undefined && { nodeName: on }), ...spec },
    status: { phase },
  };
}

function workload(
  kind: string,
  name: string,
  spec: object = {},
  more: { meta?: object; status?: object } = {},
): KubernetesObject {
  return {
    apiVersion: versionOf(kind),
    kind,
    metadata: { name, namespace: 'shop', uid: name, ...more.meta },
    spec: { replicas: 3, ...spec },
    ...(more.status && { status: more.status }),
  } as KubernetesObject;
}

type Told =
  | readonly [at: number, kind: 'marked' | 'gone' | 'ready', pod: string]
  | readonly [
      at: number,
      kind: 'taints',
      node: string,
      taints: readonly Taint[],
      more?: { unschedulable?: boolean; gone?: boolean },
    ];

interface Asked extends Partial<ReschedulingOptions> {
  readonly loaded?: readonly KeptKind[];
}

interface Planned {
  readonly plan: Rescheduling;
  readonly of: (pod: string) => RescheduledPod;
}

function plan(
  objects: readonly KubernetesObject[],
  told: readonly Told[],
  { loaded, ...options }: Asked = {},
): Planned {
  const state = ClusterState.build(objects, loaded ?? LOADED);
  const events = told.map(([at, kind, name, taints, more]): ReschedulingEvent =>
    kind === 'taints'
      ? { at, kind, node: state.nodes.indexOf(name), taints, ...more }
      : { at, kind, pod: state.pods.indexOf('shop', name) },
  );
  const made = finish(stepRescheduling(state, events, { gates: DEFAULT_GATES, mostListed: 1000, ...options }));
  return { plan: made, of: (name) => made.pods.items.find(({ pod }) => pod === state.pods.indexOf('shop', name))! };
}

const A_AND_B = [node('a', { taints: [MAINT] }), node('b')];

describe('stepRescheduling: replacement', () => {
  it.each<[string, readonly KubernetesObject[], PodParts, Partial<RescheduledPod>]>([
    [
      'a ReplicaSet makes it as soon as the old one is marked',
      [workload('ReplicaSet', 'w')],
      { of: 'ReplicaSet/w' },
      { replacementAt: 10 },
    ],
    [
      'a ReplicationController too',
      [workload('ReplicationController', 'w')],
      { of: 'ReplicationController/w' },
      { replacementAt: 10 },
    ],
    ['a Job too', [workload('Job', 'w')], { of: 'Job/w' }, { replacementAt: 10 }],
    [
      'a Job that replaces only pods that Failed waits until the old one is gone',
      [workload('Job', 'w', { podReplacementPolicy: 'Failed' })],
      { of: 'Job/w' },
      { replacementAt: 40 },
    ],
    [
      'a StatefulSet waits until it is gone',
      [workload('StatefulSet', 'w')],
      { of: 'StatefulSet/w' },
      { replacementAt: 40 },
    ],
    ['a bare pod is not replaced', [], {}, { never: 'barePod' }],
    ['a mirror pod is not replaced', [], { of: 'Node/a' }, { never: 'mirrorPod' }],
    [
      'a pod that ended counted for nothing',
      [workload('ReplicaSet', 'w')],
      { of: 'ReplicaSet/w', phase: 'Failed' },
      { never: 'ended' },
    ],
    [
      'a workload that is scaled to 0 makes none',
      [workload('ReplicaSet', 'w', { replicas: 0 })],
      { of: 'ReplicaSet/w' },
      { never: 'notWanted' },
    ],
    [
      'a StatefulSet makes none for an ordinal beyond its replicas',
      [workload('StatefulSet', 'w', { replicas: 0 })],
      { of: 'StatefulSet/w' },
      { never: 'notWanted' },
    ],
    [
      'a StatefulSet counts its ordinals from where it starts',
      [workload('StatefulSet', 'w', { ordinals: { start: 1 } })],
      { of: 'StatefulSet/w' },
      { never: 'notWanted' },
    ],
    [
      'a Job that is complete makes none',
      [workload('Job', 'w', {}, { status: { completionTime: '2026-05-04T00:00:00Z' } })],
      { of: 'Job/w' },
      { never: 'jobComplete' },
    ],
    [
      'a Job that is suspended makes none',
      [workload('Job', 'w', { suspend: true })],
      { of: 'Job/w' },
      { never: 'jobSuspended' },
    ],
    [
      'a Job makes no more than it lacks',
      [workload('Job', 'w', { completions: 3 }, { status: { succeeded: 3 } })],
      { of: 'Job/w' },
      { never: 'notWanted' },
    ],
    [
      'a work queue Job starts no more pods after a success',
      [workload('Job', 'w', { parallelism: 2 }, { status: { succeeded: 1 } })],
      { of: 'Job/w' },
      { never: 'notWanted' },
    ],
    ['a controller that is not there makes none', [], { of: 'ReplicaSet/w' }, { never: 'controllerGone' }],
    [
      'a controller of the same name with another uid is another one',
      [workload('ReplicaSet', 'w')],
      { of: 'ReplicaSet/w', ownerUid: 'former' },
      { never: 'controllerGone' },
    ],
    [
      'a controller that is being deleted makes none',
      [workload('ReplicaSet', 'w', {}, { meta: { deletionTimestamp: '2026-05-04T00:00:00Z' } })],
      { of: 'ReplicaSet/w' },
      { never: 'controllerDeleting' },
    ],
    [
      'a pod that was being deleted before has its replacement already',
      [workload('ReplicaSet', 'w')],
      { of: 'ReplicaSet/w', deleting: true },
      { never: 'alreadyReplaced' },
    ],
    [
      "of a controller that is not Kubernetes' own nothing is known",
      [],
      { of: 'Rollout/w', apiVersion: 'argoproj.io/v1alpha1' },
      { verdict: 'unknown' },
    ],
    [
      "nor of one that only has a kind's name",
      [workload('StatefulSet', 'w')],
      { of: 'StatefulSet/w', apiVersion: 'apps.kruise.io/v1beta1' },
      { verdict: 'unknown' },
    ],
    [
      'nor of a Job that somebody else manages',
      [workload('Job', 'w', { managedBy: 'example.com/kueue' })],
      { of: 'Job/w' },
      { verdict: 'unknown' },
    ],
  ])('%s', (_, objects, parts, expected) => {
    const { of } = plan(
      [...A_AND_B, ...objects, pod('w-0', { on: 'a', ...parts })],
      [
        [10, 'marked', 'w-0'],
        [40, 'gone', 'w-0'],
      ],
    );
    const row = of('w-0');
    expect(row).toMatchObject({ markedAt: 10, goneAt: 40, ...expected });
    if (expected.replacementAt === undefined) expect(row).not.toHaveProperty('replacementAt');
    if (expected.replacementAt !== undefined) expect(row).toMatchObject({ verdict: 'feasible', chosen: 'b' });
  });

  it('a StatefulSet waits until the pod before is ready, if events say when', () => {
    const objects = [
      ...A_AND_B,
      workload('StatefulSet', 'w'),
      ...['w-0', 'w-1'].map((name) => pod(name, { on: 'a', of: 'StatefulSet/w' })),
    ];
    const leaving: readonly Told[] = ['w-0', 'w-1'].flatMap((name): Told[] => [
      [10, 'marked', name],
      [10, 'gone', name],
    ]);
    const { plan: made, of } = plan(objects, [...leaving, [70, 'ready', 'w-0']], { readiness: 'byEvent' });
    expect(of('w-1')).toMatchObject({ replacementAt: 70, landedAt: 70 });
    expect(made.assumptions.map(({ code }) => code)).not.toContain('readyWhenLanded');
    expect(plan(objects, leaving, { readiness: 'byEvent' }).of('w-1')).toMatchObject({ never: 'waitsForLowerOrdinal' });
    expect(plan(objects, leaving).of('w-1')).toMatchObject({ replacementAt: 10 });
  });

  it('assumes that a controller of a kind that was never loaded wants its pods, and reports that', () => {
    const { plan: made, of } = plan(
      [...A_AND_B, pod('w-0', { on: 'a', of: 'ReplicaSet/w' })],
      [[10, 'marked', 'w-0']],
      {
        loaded: ['Node', 'Pod'],
      },
    );
    expect(of('w-0')).toMatchObject({ replacementAt: 10, chosen: 'b' });
    expect(made.assumptions.map(({ code }) => code)).toContain('controllersNotLoaded');
  });

  it('creates only missing pods: a workload with too many loses the surplus', () => {
    const pods = [0, 1, 2, 3].map((i) => pod(`w-${i}`, { on: 'a', of: 'ReplicaSet/w' }));
    const { plan: made } = plan(
      [...A_AND_B, workload('ReplicaSet', 'w', { replicas: 2 }), ...pods],
      [
        [10, 'marked', 'w-0'],
        [10, 'marked', 'w-1'],
        [10, 'marked', 'w-2'],
        [10, 'marked', 'w-3'],
      ],
    );
    expect(made.totals).toMatchObject({ evicted: 4, replaced: 2, never: { notWanted: 2 } });
  });

  it('creates no more pods of a Job than may run in parallel, however many are missing', () => {
    const pods = ['w-0', 'w-1'].map((name) => pod(name, { on: 'a', of: 'Job/w' }));
    const job = workload('Job', 'w', { parallelism: 1, completions: 5 });
    const { of } = plan([...A_AND_B, job, ...pods], [[10, 'marked', 'w-0']]);
    expect(of('w-0')).toMatchObject({ never: 'notWanted' });
  });

  it('counts a terminating pod as running for a Job that waits until pods are gone', () => {
    const going = pod('w-0', { on: 'a', of: 'Job/w', deleting: true });
    const job = workload('Job', 'w', { podReplacementPolicy: 'Failed', parallelism: 1 });
    const { of } = plan([...A_AND_B, job, going, pod('w-1', { on: 'a', of: 'Job/w' })], [[10, 'gone', 'w-1']]);
    expect(of('w-1')).toMatchObject({ never: 'notWanted' });
  });

  it('creates no replacement for a pod with a name that a StatefulSet would not use', () => {
    const { of } = plan(
      [...A_AND_B, workload('StatefulSet', 'w'), pod('wx1', { on: 'a', of: 'StatefulSet/w' })],
      [[10, 'gone', 'wx1']],
    );
    expect(of('wx1')).toMatchObject({ never: 'notWanted' });
  });

  it("creates no replacement for a StatefulSet's pod that remains Terminating", () => {
    const { of } = plan(
      [...A_AND_B, workload('StatefulSet', 'w'), pod('w-0', { on: 'a', of: 'StatefulSet/w' })],
      [[10, 'marked', 'w-0']],
    );
    expect(of('w-0')).toMatchObject({ never: 'stillTerminating' });
  });

  it.each([
    ['in order, when those before are there', {}, [60, 60]],
    ['all at once if the StatefulSet is Parallel', { podManagementPolicy: 'Parallel' }, [60, 40]],
  ])('makes the pods of a StatefulSet %s', (_, spec, times) => {
    const pods = ['w-0', 'w-1'].map((name) => pod(name, { on: 'a', of: 'StatefulSet/w' }));
    const { of } = plan(
      [...A_AND_B, workload('StatefulSet', 'w', spec), ...pods],
      [
        [10, 'marked', 'w-0'],
        [10, 'marked', 'w-1'],
        [40, 'gone', 'w-1'],
        [60, 'gone', 'w-0'],
      ],
    );
    expect([of('w-0').replacementAt, of('w-1').replacementAt]).toEqual(times);
  });

  it('keeps a StatefulSet waiting for a lower ordinal that has no node', () => {
    const objects = [
      ...A_AND_B,
      workload('StatefulSet', 'w'),
      pod('w-0', { on: 'a', of: 'StatefulSet/w', cpu: '5' }),
      pod('w-1', { on: 'a', of: 'StatefulSet/w' }),
    ];
    const { of } = plan(objects, [
      [10, 'gone', 'w-0'],
      [10, 'gone', 'w-1'],
    ]);
    expect(of('w-0')).toMatchObject({ verdict: 'none' });
    expect(of('w-1')).toMatchObject({ never: 'waitsForLowerOrdinal' });
  });
});

it('lists the workload first that has the most pods without a node', () => {
  const big = (name: string, of: string): Pod => pod(name, { on: 'a', of: `ReplicaSet/${of}`, cpu: '5' });
  const pods = [big('a-0', 'a'), big('b-0', 'b'), big('b-1', 'b')];
  const { plan: made } = plan(
    [...A_AND_B, workload('ReplicaSet', 'a'), workload('ReplicaSet', 'b'), ...pods],
    ['a-0', 'b-0', 'b-1'].map((name): Told => [10, 'marked', name]),
  );
  expect(made.workloads.items.map(({ workload: { name }, withoutNode }) => [name, withoutNode])).toEqual([
    ['b', 2],
    ['a', 1],
  ]);
});

describe('stepRescheduling: pods of a DaemonSet', () => {
  const DAEMON = workload('DaemonSet', 'd', { template: { spec: { containers: [] } } });
  const objects = [node('a'), node('b'), DAEMON, pod('d-x', { on: 'a', of: 'DaemonSet/d', cpu: '1' })];

  it('are replaced even if they had ended', () => {
    const ended = pod('d-x', { on: 'a', of: 'DaemonSet/d', phase: 'Failed' });
    expect(plan([node('a'), DAEMON, ended], [[40, 'gone', 'd-x']]).of('d-x')).toMatchObject({ replacementAt: 40 });
  });

  it('are replaced on their own node after the old one is gone', () => {
    const { of } = plan(objects, [
      [10, 'marked', 'd-x'],
      [40, 'gone', 'd-x'],
    ]);
    expect(of('d-x')).toMatchObject({
      replacementAt: 40,
      verdict: 'feasible',
      feasibleNodes: 1,
      nodes: ['a'],
      chosen: 'a',
    });
  });

  it('are not created if the node does not admit them', () => {
    const { of } = plan(objects, [
      [5, 'taints', 'a', [MAINT]],
      [10, 'gone', 'd-x'],
    ]);
    expect(of('d-x')).toMatchObject({ never: 'nodeDoesNotAdmit' });
  });

  it('are created when their node admits them again', () => {
    const { of } = plan(objects, [
      [5, 'taints', 'a', [MAINT]],
      [10, 'gone', 'd-x'],
      [90, 'taints', 'a', []],
    ]);
    expect(of('d-x')).toMatchObject({ replacementAt: 90, landedAt: 90, chosen: 'a' });
  });

  it('are not created on a deleted node', () => {
    const { of } = plan(objects, [
      [5, 'taints', 'a', [], { gone: true }],
      [10, 'gone', 'd-x'],
    ]);
    expect(of('d-x')).toMatchObject({ never: 'nodeGone' });
  });

  it('wait for free resources on their own node only', () => {
    const full = [
      node('a', { cpu: '1' }),
      node('b'),
      DAEMON,
      workload('ReplicaSet', 'w'),
      pod('d-x', { on: 'a', of: 'DaemonSet/d', cpu: '600m' }),
      pod('w-0', { on: 'a', of: 'ReplicaSet/w', cpu: '600m' }),
    ];
    const { of } = plan(full, [
      [10, 'gone', 'd-x'],
      [20, 'gone', 'w-0'],
    ]);
    expect(of('d-x')).toMatchObject({ replacementAt: 10, landedAt: 20, chosen: 'a' });
    expect(of('d-x').refusal?.message.text).toContain('1 Insufficient cpu');
  });
});

describe('stepRescheduling: nodes', () => {
  const SET = workload('ReplicaSet', 'w', { replicas: 9 });

  it('chooses the node with the most free resources, and the first by name of equal ones', () => {
    const objects = [
      node('a', { taints: [MAINT] }),
      ...['d', 'c', 'b'].map((name) => node(name)),
      SET,
      pod('busy', { on: 'b', cpu: '3' }),
      pod('w-0', { on: 'a', of: 'ReplicaSet/w', cpu: '1' }),
    ];
    expect(plan(objects, [[10, 'marked', 'w-0']]).of('w-0')).toMatchObject({
      feasibleNodes: 3,
      nodes: ['c', 'd', 'b'],
      chosen: 'c',
    });
  });

  it('counts pods that were placed before', () => {
    const pods = [0, 1, 2].map((i) => pod(`w-${i}`, { on: 'a', of: 'ReplicaSet/w', cpu: '3' }));
    const { plan: made, of } = plan(
      [node('a', { taints: [MAINT] }), node('b'), node('c'), SET, ...pods],
      [
        [10, 'marked', 'w-0'],
        [10, 'marked', 'w-1'],
        [10, 'marked', 'w-2'],
      ],
    );
    expect(made.totals).toMatchObject({ landed: 2, withoutNode: 1 });
    expect([of('w-0').feasibleNodes, of('w-1').feasibleNodes, of('w-2').feasibleNodes]).toEqual([2, 1, 0]);
    expect(of('w-2').refusal?.message.text).toMatch(
      /^0\/3 nodes are available: 1 node\(s\) had untolerated taint\(s\), 2 Insufficient cpu\./,
    );
    expect(of('w-2').refusal?.reasons.find(({ code }) => code === 'UntoleratedTaint')?.taints).toEqual([
      { taint: 'maint:NoExecute', nodes: 1 },
    ]);
  });

  it('counts a terminating pod until it is gone', () => {
    const objects = [
      node('a', { taints: [MAINT] }),
      node('b'),
      SET,
      pod('old', { on: 'b', cpu: '4' }),
      pod('w-0', { on: 'a', of: 'ReplicaSet/w', cpu: '2' }),
    ];
    const { plan: made, of } = plan(objects, [
      [10, 'marked', 'old'],
      [10, 'marked', 'w-0'],
      [40, 'gone', 'old'],
    ]);
    expect(of('w-0')).toMatchObject({ replacementAt: 10, verdict: 'feasible', landedAt: 40, chosen: 'b' });
    expect(of('w-0').refusal).toBeDefined();
    expect(made.timeline.items).toMatchObject([
      { at: 10, evicted: 2, replaced: 1, landed: 0, withoutNode: 1, waiting: 1 },
      { at: 40, gone: 1, replaced: 0, landed: 1, waiting: 0, requested: { milliCPU: 2000 }, free: { milliCPU: 2000 } },
    ]);
    expect(made.totals).toMatchObject({ landed: 1, landedLater: 1, withoutNode: 0, never: { barePod: 1 } });
  });

  it('uses the taints of the moment, and tries again when they change', () => {
    const objects = [
      node('a', { taints: [MAINT] }),
      node('b', { taints: [MAINT] }),
      SET,
      pod('w-0', { on: 'a', of: 'ReplicaSet/w' }),
    ];
    const { of } = plan(objects, [
      [10, 'marked', 'w-0'],
      [20, 'taints', 'b', []],
    ]);
    expect(of('w-0')).toMatchObject({ replacementAt: 10, landedAt: 20, chosen: 'b' });
  });

  it('uses the tolerations of each pod for a taint that no node had before', () => {
    const late: Taint = { key: 'late', effect: 'NoSchedule' };
    const objects = [
      node('a'),
      node('b'),
      SET,
      pod('w-0', { on: 'a', of: 'ReplicaSet/w' }),
      pod('w-1', { on: 'a', of: 'ReplicaSet/w', tolerations: [{ key: 'late', operator: 'Exists' }] }),
    ];
    const { of } = plan(objects, [
      [5, 'taints', 'a', [MAINT]],
      [5, 'taints', 'b', [late]],
      [10, 'marked', 'w-0'],
      [10, 'marked', 'w-1'],
    ]);
    expect(of('w-0')).toMatchObject({ verdict: 'none' });
    expect(of('w-1')).toMatchObject({ landedAt: 10, chosen: 'b' });
  });

  it('keeps cordons by default, and places no pod on a deleted node', () => {
    const objects = [
      node('a', { taints: [MAINT] }),
      node('b', { unschedulable: true }),
      node('c'),
      SET,
      pod('w-0', { on: 'a', of: 'ReplicaSet/w' }),
    ];
    const { of } = plan(objects, [
      [5, 'taints', 'b', []],
      [5, 'taints', 'c', [], { gone: true }],
      [10, 'marked', 'w-0'],
      [20, 'taints', 'b', [], { unschedulable: false }],
    ]);
    expect(of('w-0').refusal?.message.text).toMatch(
      /^0\/2 nodes are available: 1 node\(s\) had untolerated taint\(s\), 1 node\(s\) were unschedulable/,
    );
    expect(of('w-0')).toMatchObject({ landedAt: 20, chosen: 'b' });
  });

  it('gives released resources to the highest priority first, then to the longest waiting', () => {
    const objects = [
      node('a', { taints: [MAINT] }),
      node('b'),
      SET,
      workload('ReplicaSet', 'v'),
      workload('ReplicaSet', 'u'),
      pod('old', { on: 'b', cpu: '4' }),
      pod('w-0', { on: 'a', of: 'ReplicaSet/w', cpu: '3' }),
      pod('v-0', { on: 'a', of: 'ReplicaSet/v', cpu: '3', memory: '1Gi' }),
      pod('u-0', { on: 'a', of: 'ReplicaSet/u', cpu: '3', priority: 7 }),
    ];
    const { of } = plan(objects, [
      [10, 'marked', 'v-0'],
      [20, 'marked', 'w-0'],
      [30, 'marked', 'u-0'],
      [40, 'gone', 'old'],
      [50, 'taints', 'a', []],
      [60, 'gone', 'u-0'],
      [60, 'gone', 'v-0'],
      [60, 'gone', 'w-0'],
    ]);
    expect([of('u-0').landedAt, of('v-0').landedAt, of('w-0').landedAt]).toEqual([40, 60, undefined]);
  });

  it('compares exact amounts that a double would round', () => {
    const objects = [
      node('a', { taints: [MAINT] }),
      node('b', { memory: '9007199254740993' }),
      SET,
      workload('ReplicaSet', 'v'),
      pod('w-0', { on: 'a', of: 'ReplicaSet/w', memory: '9007199254740993' }),
      pod('v-0', { on: 'a', of: 'ReplicaSet/v', memory: '1' }),
    ];
    const { of } = plan(objects, [
      [10, 'marked', 'w-0'],
      [20, 'marked', 'v-0'],
    ]);
    expect([of('w-0').verdict, of('v-0').verdict]).toEqual(['feasible', 'none']);
  });

  it('places the first pod of a group with affinity to itself anywhere after the last one is gone', () => {
    const together = {
      labels: { app: 'w' },
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'w' } } },
          ],
        },
      },
    };
    const zoned = (name: string, parts = {}): Node => node(name, { labels: { zone: name }, ...parts });
    const objects = [zoned('a', { taints: [MAINT] }), zoned('b'), SET];
    const { of } = plan(
      [...objects, pod('w-0', { on: 'a', of: 'ReplicaSet/w', ...together })],
      [
        [10, 'marked', 'w-0'],
        [40, 'gone', 'w-0'],
      ],
    );
    expect(of('w-0')).toMatchObject({ replacementAt: 10, landedAt: 40, chosen: 'b' });
  });

  it('moves host ports with their pods', () => {
    const ports = { containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80 }] }] };
    const pods = ['w-0', 'w-1'].map((name) => pod(name, { on: 'a', of: 'ReplicaSet/w', ...ports }));
    const objects = [node('a', { taints: [MAINT] }), node('b'), SET, pod('old', { on: 'b', ...ports }), ...pods];
    const { of } = plan(objects, [
      [10, 'marked', 'w-0'],
      [10, 'marked', 'w-1'],
      [40, 'gone', 'old'],
    ]);
    expect([of('w-0').landedAt, of('w-1').landedAt]).toEqual([40, undefined]);
    expect(of('w-1').verdict).toBe('none');
  });

  it('reports that the limit of evaluations is reached', () => {
    const disks = {
      volumes: [{ name: 'v', iscsi: { targetPortal: '10.0.0.1:3260', iqn: 'iqn', lun: 0, readOnly: true } }],
    };
    const pods = ['w-0', 'w-1'].map((name) => pod(name, { on: 'a', of: 'ReplicaSet/w', ...disks }));
    const events: readonly Told[] = [
      [10, 'marked', 'w-0'],
      [10, 'marked', 'w-1'],
    ];
    const { plan: made, of } = plan([...A_AND_B, SET, ...pods], events, { budget: { evaluations: 1 } });
    expect(of('w-0')).toMatchObject({ verdict: 'feasible' });
    expect(of('w-1')).toMatchObject({ verdict: 'unknown', unknownBecause: [{ code: 'budget' }] });
    expect(made.evaluations).toBe(1);
  });

  it.each<[string, PodParts, string, string]>([
    [
      'a claim of its own, of which nothing is known before it is made',
      { volumes: [{ name: 'v', ephemeral: {} }] },
      'unknown',
      'filterNotImplemented',
    ],
    [
      'a claim of its own, where the other filters leave no node',
      { volumes: [{ name: 'v', ephemeral: {} }], cpu: '5' },
      'none',
      '',
    ],
    ['a request that cannot be read', { cpu: 'much' }, 'unknown', 'unreadableRequest'],
  ])('does not guess about a pod with %s', (_, parts, verdict, code) => {
    const { plan: made, of } = plan(
      [...A_AND_B, SET, pod('w-0', { on: 'a', of: 'ReplicaSet/w', ...parts })],
      [[10, 'marked', 'w-0']],
    );
    const row = of('w-0');
    expect([row.verdict, row.unknownBecause?.[0]?.code ?? '']).toEqual([verdict, code]);
    expect(row).not.toHaveProperty('chosen');
    expect(made.timeline.items[0]?.free).toMatchObject({ milliCPU: 4000 });
  });
});

describe('stepRescheduling: report', () => {
  const objects = [
    node('a', { taints: [MAINT] }),
    node('b', { cpu: '3' }),
    workload('ReplicaSet', 'w', { replicas: 4 }),
    workload('ReplicaSet', 'v'),
    ...[0, 1, 2, 3].map((i) => pod(`w-${i}`, { on: 'a', of: 'ReplicaSet/w', cpu: '2', memory: '1Gi' })),
    pod('v-0', { on: 'a', of: 'ReplicaSet/v', cpu: '500m', memory: '1Gi' }),
  ];
  const events: readonly Told[] = [
    [10, 'marked', 'w-0'],
    [10, 'marked', 'w-1'],
    [20, 'marked', 'w-2'],
    [20, 'marked', 'v-0'],
  ];

  it('counts placed and remaining pods at each moment', () => {
    const { plan: made } = plan(objects, events);
    expect(made.timeline).toEqual({
      total: 2,
      items: [
        {
          at: 10,
          evicted: 2,
          gone: 0,
          replaced: 2,
          landed: 1,
          withoutNode: 1,
          unknown: 0,
          waiting: 1,
          requested: { milliCPU: 2000, memory: 2 ** 30 },
          free: { milliCPU: 1000, memory: 7 * 2 ** 30 },
        },
        {
          at: 20,
          evicted: 2,
          gone: 0,
          replaced: 2,
          landed: 1,
          withoutNode: 1,
          unknown: 0,
          waiting: 2,
          requested: { milliCPU: 500, memory: 2 ** 30 },
          free: { milliCPU: 500, memory: 6 * 2 ** 30 },
        },
      ],
    });
    expect(made.totals).toEqual({
      evicted: 4,
      gone: 0,
      replaced: 4,
      landed: 2,
      landedLater: 0,
      withoutNode: 2,
      unknown: 0,
      never: {},
      requested: { milliCPU: 2500, memory: 2 ** 31 },
    });
  });

  it('lists the workloads with pods without a node', () => {
    const { plan: made } = plan(objects, events);
    expect(made.workloads.items).toMatchObject([
      { workload: { kind: 'ReplicaSet', namespace: 'shop', name: 'w' }, replaced: 3, landed: 1, withoutNode: 2 },
    ]);
    expect(made.workloads.items[0]?.refusal?.message.text).toContain('Insufficient cpu');
  });

  it('limits the lists, and counts everything', () => {
    const { plan: made } = plan(objects, events, { mostListed: 2, mostMoments: 1 });
    expect([made.pods.total, made.pods.items.length]).toEqual([4, 2]);
    expect([made.timeline.total, made.timeline.items.length]).toEqual([2, 1]);
    expect(made.totals.replaced).toBe(4);
  });

  it('counts a repeated event once', () => {
    const { plan: made } = plan(objects, [...events, [30, 'marked', 'v-0'], [40, 'gone', 'v-0'], [50, 'gone', 'v-0']]);
    expect(made.totals).toMatchObject({ evicted: 4, gone: 1, replaced: 4 });
  });

  it.each<[string, ReschedulingEvent]>([
    ['an event that comes late', { at: 5, kind: 'marked', pod: 0 }],
    ['a moment that is none', { at: Number.NaN, kind: 'marked', pod: 0 }],
    ['a pod that is not there', { at: 15, kind: 'marked', pod: 99 }],
    ['a node that is not there', { at: 15, kind: 'taints', node: -1, taints: [] }],
  ])('refuses %s', (_, event) => {
    const state = ClusterState.build(objects, LOADED);
    const all: readonly ReschedulingEvent[] = [{ at: 10, kind: 'marked', pod: 1 }, event];
    expect(() => finish(stepRescheduling(state, all, { gates: DEFAULT_GATES, mostListed: 9 }))).toThrow(RangeError);
  });

  it('does not modify the state', () => {
    const state = ClusterState.build(objects, LOADED);
    const before = state.approximateBytes;
    finish(
      stepRescheduling(state, [{ at: 10, kind: 'gone', pod: 1 }], {
        gates: DEFAULT_GATES,
        mostListed: 9,
      }),
    );
    expect(state.approximateBytes).toBe(before);
    expect(state.nodes.requested.at('pods', 0)).toBe(5);
  });
});

describe('stepRescheduling: devices', () => {
  const GPU = { name: 'gpu', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } };
  const CLASS = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceClass',
    metadata: { name: 'gpu' },
  } as KubernetesObject;
  const TEMPLATE = {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: { name: 'gpu', namespace: 'shop' },
    spec: { spec: { devices: { requests: [GPU] } } },
  } as KubernetesObject;
  const slice = (on: string, ...names: readonly string[]): KubernetesObject =>
    ({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: { name: on },
      spec: {
        driver: 'gpu.example.com',
        nodeName: on,
        pool: { name: on, generation: 1, resourceSliceCount: 1 },
        devices: names.map((name) => ({ name })),
      },
    }) as KubernetesObject;
  /** A pod of a ReplicaSet with a GPU. */
  const gpuPod = (name: string, on: string, device: string): readonly KubernetesObject[] => {
    const made = pod(name, {
      on,
      of: 'ReplicaSet/w',
      resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }],
    });
    const results = [{ request: 'gpu', driver: 'gpu.example.com', pool: on, device }];
    return [
      {
        ...made,
        metadata: { ...made.metadata, uid: name },
        status: { ...made.status, resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: `${name}-gpu` }] },
      } as Pod,
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'ResourceClaim',
        metadata: {
          name: `${name}-gpu`,
          namespace: 'shop',
          ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name, uid: name, controller: true }],
        },
        spec: { devices: { requests: [GPU] } },
        status: { allocation: { devices: { results } }, reservedFor: [{ resource: 'pods', name, uid: name }] },
      } as KubernetesObject,
    ];
  };
  const CLUSTER = [...A_AND_B, CLASS, TEMPLATE, workload('ReplicaSet', 'w'), slice('a', 'gpu-0', 'gpu-1')];

  it('gives each replacement a device of its own, and the next none', () => {
    const objects = [...CLUSTER, slice('b', 'gpu-0'), ...gpuPod('p', 'a', 'gpu-0'), ...gpuPod('q', 'a', 'gpu-1')];
    const { of } = plan(objects, [
      [10, 'marked', 'p'],
      [11, 'marked', 'q'],
    ]);
    expect(of('p')).toMatchObject({ chosen: 'b', landedAt: 10 });
    expect(of('q')).not.toHaveProperty('chosen');
    expect(of('q').refusal?.message.text).toContain('cannot allocate all claims');
  });

  it('has the devices of a pod once it is gone, not when it is marked', () => {
    const objects = [...CLUSTER, slice('b', 'gpu-0'), ...gpuPod('p', 'a', 'gpu-0'), ...gpuPod('q', 'b', 'gpu-0')];
    const { of } = plan(objects, [
      [10, 'marked', 'p'],
      [20, 'marked', 'q'],
      [50, 'gone', 'q'],
    ]);
    expect(of('p')).toMatchObject({ replacementAt: 10, chosen: 'b', landedAt: 50 });
    expect(of('q')).not.toHaveProperty('chosen');
  });
});
