import { DEFAULT_GATES } from '../../kubernetes/toleration.js';
import { describe, expect, it } from '@jest/globals';
import { ClusterState } from '../../cluster/cluster-state.js';
import { DEFAULT_RULES, rulesOfMinor, withGates, type KubernetesRules } from '../../kubernetes/kubernetes-rules.js';
import type { KubernetesObject, Labels } from '../../kubernetes/objects/meta.js';
import type { Pod, PodSpec } from '../../kubernetes/objects/pod.js';
import { coschedulingFilter } from '../../placement/coscheduling-filter.js';
import { DEFAULT_ARGUMENTS } from '../../placement/plugin-arguments.js';
import { DEFAULT_FILTERS } from '../../placement/profile.js';
import { DEFAULT_SCORES } from '../../placement/score-profile.js';
import type { SchedulingProfile } from '../schedule-pod.js';
import { stepInQueueOrder, stepPendingPods } from './queued-work.js';
import { stepQueue, type QueueOptions, type QueueResult } from './step-queue.js';

const PROFILE: SchedulingProfile = {
  filters: DEFAULT_FILTERS,
  scores: DEFAULT_SCORES,
  args: DEFAULT_ARGUMENTS,
  gates: DEFAULT_GATES,
};
const COSCHEDULING: SchedulingProfile = { ...PROFILE, filters: [...DEFAULT_FILTERS, coschedulingFilter] };
const GANGS: KubernetesRules = {
  ...DEFAULT_RULES,
  featureGates: { ...DEFAULT_RULES.featureGates, GangScheduling: true, GenericWorkload: true },
};

const node = (name: string, cpu: string): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  status: { allocatable: { cpu, memory: '16Gi', pods: '110' } },
});
const pod = (name: string, cpu: string, spec: Partial<PodSpec> = {}, labels: Labels = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name, labels },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...spec },
});
const member = (name: string, cpu: string, group = 'g', spec: Partial<PodSpec> = {}): Pod =>
  pod(name, cpu, { schedulingGroup: { podGroupName: group }, ...spec });
const labelled = (name: string, cpu: string, spec: Partial<PodSpec> = {}): Pod =>
  pod(name, cpu, spec, { 'scheduling.x-k8s.io/pod-group': 'g' });
const podGroup = (spec: object): object => ({
  apiVersion: 'scheduling.k8s.io/v1alpha2',
  kind: 'PodGroup',
  metadata: { name: 'g', namespace: 'default' },
  spec,
});
const gang = (minCount: number): object => podGroup({ schedulingPolicy: { gang: { minCount } } });

/** The message of a kube-scheduler v1.36.2 with both gates. */
const WAITING =
  'pod group is unschedulable, waiting for minCount pods from a gang to be scheduled, one or more plugins asked to wait and no plugin rejected pod';

function finished<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
function run(
  objects: readonly object[],
  {
    profile = PROFILE,
    rules = DEFAULT_RULES,
    ...options
  }: QueueOptions & {
    readonly profile?: SchedulingProfile;
    readonly rules?: KubernetesRules;
  } = {},
): QueueResult {
  const kinds = ['Node', 'Pod', 'Namespace', 'PodGroup', 'CoschedulingPodGroup', 'DeviceClass'] as const;
  const state = ClusterState.build(objects as KubernetesObject[], kinds, rules);
  const { work } = finished(stepPendingPods(state, 'default-scheduler'));
  return finished(stepQueue(state, finished(stepInQueueOrder(work)), profile, options));
}
const told = ({ decisions }: QueueResult): readonly string[] =>
  decisions.map((decision) =>
    [decision.name, decision.outcome, decision.outcome === 'placed' ? decision.node : ''].join(' ').trim(),
  );
const messages = ({ decisions }: QueueResult): readonly (string | undefined)[] =>
  decisions.map((one) => ('message' in one ? one.message : 'refusal' in one ? one.refusal.message.text : undefined));

describe('a gang in the queue', () => {
  it('is placed if enough of its pods find a node, and the others are refused alone', () => {
    const result = run([node('a', '2'), gang(2), member('p1', '1'), member('p2', '1'), member('p3', '1')], {
      rules: GANGS,
    });
    expect(told(result)).toEqual(['p1 placed a', 'p2 placed a', 'p3 unplaced']);
    expect(result.groups).toMatchObject([
      { source: 'GangScheduling', name: 'g', minimum: 2, treatment: 'allOrNothing', pods: 3, placed: 2 },
    ]);
  });

  it('takes no room if too few of its pods find a node', () => {
    const result = run(
      [node('a', '2'), gang(3), ...['p1', 'p2', 'p3'].map((name) => member(name, '1')), pod('z', '2')],
      {
        rules: GANGS,
      },
    );
    expect(told(result)).toEqual(['p1 unplaced', 'p2 unplaced', 'p3 unplaced', 'z placed a']);
    expect(messages(result)).toEqual([WAITING, WAITING, '0/1 nodes are available: 1 Insufficient cpu.', undefined]);
  });

  it('counts its pods that have a node', () => {
    const objects = [node('a', '3'), gang(3), member('p0', '1', 'g', { nodeName: 'a' }), member('p1', '1')];
    expect(told(run([...objects, member('p2', '1')], { rules: GANGS }))).toEqual(['p1 placed a', 'p2 placed a']);
    expect(told(run([...objects, member('p2', '5')], { rules: GANGS }))).toEqual(['p1 unplaced', 'p2 unplaced']);
  });

  it('is not known to find too few nodes while pods of it are left out of the queue', () => {
    const kinds = ['Node', 'Pod', 'Namespace', 'PodGroup', 'DeviceClass'] as const;
    const objects = [node('a', '3'), gang(3), member('p1', '1'), member('p2', '1')] as KubernetesObject[];
    const of = (added: Pod): QueueResult => {
      const work = [{ pod: added, replicas: 1, since: '', workload: { kind: 'Pod', namespace: 'default', name: 'x' } }];
      return finished(stepQueue(ClusterState.build(objects, kinds, GANGS), work, PROFILE));
    };
    const result = of(member('x', '1'));
    expect(told(result)).toEqual(['x unknown']);
    expect(result.decisions[0]).toMatchObject({
      uncertain: ['GangScheduling'],
      refusal: {
        reasons: [{ message: expect.stringContaining('2 pods of the group that wait for a node are not in') }],
      },
    });
    expect(told(of(member('x', '4')))).toEqual(['x unplaced']);
  });

  it('waits for its PodGroup, and for pods, as gated pods do', () => {
    const few = run([node('a', '4'), gang(3), member('p1', '1'), member('p2', '1')], { rules: GANGS });
    expect(told(few)).toEqual(['p1 gated', 'p2 gated']);
    expect(messages(few)[0]).toBe('waiting for minCount pods from a gang to appear in scheduling queue');
    const none = run([node('a', '4'), member('p1', '1', 'other')], { rules: GANGS });
    expect(messages(none)).toEqual(['waiting for pods\'s pod group "other" to appear in scheduling queue']);
  });

  it('is placed one by one with the policy basic, is no gang where its gates are off, and not known where one of them is', () => {
    const basic = run(
      [node('a', '1'), podGroup({ schedulingPolicy: { basic: {} } }), member('p1', '1'), member('p2', '1')],
      {
        rules: GANGS,
      },
    );
    expect(told(basic)).toEqual(['p1 placed a', 'p2 unplaced']);
    expect(basic.groups).toMatchObject([{ treatment: 'independent' }]);
    const objects = [node('a', '1'), gang(2), member('p1', '1'), member('p2', '1')];
    const off = run(objects);
    expect([told(off), off.groups]).toEqual([['p1 placed a', 'p2 unplaced'], []]);
    const half = run(objects, { rules: withGates(DEFAULT_RULES, { GenericWorkload: true }) });
    expect(told(half)).toEqual(['p1 unknown', 'p2 unknown']);
    expect(half.groups).toMatchObject([{ treatment: 'unknown', note: expect.stringContaining('GangScheduling') }]);
  });

  it('of Kubernetes 1.35 is not known with both gates on, and no gang without, nor in other versions', () => {
    const of135 = rulesOfMinor(35);
    const objects = [node('a', '1'), pod('p1', '1', { workloadRef: { name: 'w', podGroup: 'g' } })];
    const both = { GenericWorkload: true, GangScheduling: true };
    expect(told(run(objects, { rules: withGates(of135, both) }))).toEqual(['p1 unknown']);
    for (const rules of [of135, withGates(of135, { GenericWorkload: true }), GANGS]) {
      expect(told(run(objects, { rules }))).toEqual(['p1 placed a']);
    }
    const of136 = [node('a', '1'), gang(2), member('p1', '1'), member('p2', '1')];
    expect(told(run(of136, { rules: withGates(of135, both) }))).toEqual(['p1 placed a', 'p2 unplaced']);
  });

  it('is not tried in part when the run ends', () => {
    const result = run([node('a', '9'), gang(2), member('p1', '1'), member('p2', '1')], { rules: GANGS, mostPods: 1 });
    expect(told(result)).toEqual(['p1 notTried', 'p2 notTried']);
    expect(result.totals).toMatchObject({ placed: 0, notTried: 2 });
  });
});

describe('a group of the coscheduling plugin in the queue', () => {
  const group = {
    apiVersion: 'scheduling.x-k8s.io/v1alpha1',
    kind: 'CoschedulingPodGroup',
    metadata: { name: 'g', namespace: 'default' },
    spec: { minMember: 2 },
  };

  it('is placed together if the profile has the plugin', () => {
    const pods = [labelled('p1', '1'), labelled('p2', '1')];
    expect(told(run([node('a', '2'), group, ...pods, pod('z', '0')], { profile: COSCHEDULING }))).toEqual([
      'p1 placed a',
      'p2 placed a',
      'z placed a',
    ]);
    const refused = run([node('a', '1'), group, ...pods], { profile: COSCHEDULING });
    expect(told(refused)).toEqual(['p1 unplaced', 'p2 unplaced']);
    expect(messages(refused)[0]).toBe('PodGroup default/g has nodes for 1 of at least 2 pods');
    const alone = run([node('a', '1'), group, ...pods]);
    expect(told(alone)).toEqual(['p1 placed a', 'p2 unplaced']);
    expect(alone.groups).toMatchObject([{ source: 'Coscheduling', treatment: 'independent' }]);
  });

  it('waits for pods without scheduling gates, and for its PodGroup', () => {
    const few = run([node('a', '4'), group, labelled('p1', '1')], { profile: COSCHEDULING });
    expect(messages(few)).toEqual([
      'pre-filter pod p1 cannot find enough sibling pods, current pods number: 1, minMember of group: 2',
    ]);
    const gated = [labelled('p1', '1'), labelled('p2', '1', { schedulingGates: [{ name: 'x' }] })];
    expect(messages(run([node('a', '4'), group, ...gated], { profile: COSCHEDULING }))).toEqual([
      'pre-filter pod p1 cannot proceed due to gated pods in the same PodGroup',
      'Scheduling is blocked due to non-empty scheduling gates',
    ]);
    expect(messages(run([node('a', '4'), labelled('p1', '1')], { profile: COSCHEDULING }))).toEqual([
      'PodGroup not found',
    ]);
  });
});

it('keeps a gang apart from a PodGroup of the coscheduling plugin with the same name', () => {
  const plugin = {
    apiVersion: 'scheduling.x-k8s.io/v1alpha1',
    kind: 'CoschedulingPodGroup',
    metadata: { name: 'g', namespace: 'default' },
    spec: { minMember: 1 },
  };
  const objects = [node('a', '4'), gang(3), plugin, member('p1', '1'), member('p2', '1'), labelled('q1', '1')];
  const result = run(objects, { profile: COSCHEDULING, rules: GANGS });
  expect(result.groups).toMatchObject([
    { source: 'GangScheduling', name: 'g', minimum: 3, treatment: 'allOrNothing', placed: 0 },
    { source: 'Coscheduling', name: 'g', minimum: 1, treatment: 'allOrNothing', placed: 1 },
  ]);
});

it('does not know whether Kueue admits pods, unless they are there without its gate', () => {
  const queued = pod('p1', '1', {}, { 'kueue.x-k8s.io/queue-name': 'team-a' });
  const waiting = pod(
    'p2',
    '1',
    { schedulingGates: [{ name: 'kueue.x-k8s.io/admission' }] },
    {
      'kueue.x-k8s.io/queue-name': 'team-a',
    },
  );
  const result = run([node('a', '4'), queued, waiting]);
  expect(told(result)).toEqual(['p1 unknown', 'p2 gated']);
  expect(result.groups).toMatchObject([
    { source: 'Kueue', name: 'team-a', treatment: 'unknown', pods: 2, note: expect.stringContaining('not modelled') },
  ]);
  const there = { ...queued, metadata: { ...queued.metadata, uid: 'p1' } };
  expect(told(run([node('a', '4'), there, waiting]))).toEqual(['p1 placed a', 'p2 gated']);
});
