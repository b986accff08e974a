import { without } from '../../core/scenario/without.js';
import { COLUMNS, POD_GROUP, PODS_VIEW } from '../common/group.js';
import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { workloadName } from '../common/workload-name.js';

export const someNodes = object('SomeNodes', 'Nodes: how many, and the names of the first few.', {
  total: { type: 'integer', description: 'How many.', example: 12 },
  items: { type: 'string', list: true, description: 'The names of the first few.', example: ['node-1'] },
});

export const evictionCounts = object('EvictionCounts', 'Pods on the edited nodes by what the change does to them.', {
  now: { type: 'integer', description: 'Deleted as soon as the controller sees the taint.', example: 3 },
  after: { type: 'integer', description: 'Deleted when their tolerations have run out.', example: 1 },
  never: { type: 'integer', description: 'They tolerate the new NoExecute taints for ever.', example: 2 },
  cancelled: { type: 'integer', description: 'They were to be deleted at some time, and now are not.', example: 0 },
  pending: {
    type: 'integer',
    description:
      'They were to be deleted at some time, and still are then: a timer that runs is never changed. Not listed.',
    example: 0,
  },
});

export const workloadEvictions = object('WorkloadEvictions', 'How many pods of one workload go.', {
  workload: { type: workloadName, description: 'The workload.' },
  now: { type: 'integer', description: 'At once.', example: 3 },
  after: { type: 'integer', description: 'Later.', example: 0 },
});

export const workloadEvictionsList = object(
  'WorkloadEvictionsList',
  'Workloads with pods that go, most pods at once first.',
  {
    total: { type: 'integer', description: 'How many.', example: 1 },
    items: { type: workloadEvictions, list: true, description: 'The first of them.' },
  },
);

export const evictionCause = object('EvictionCause', 'What decides whether and when a pod goes.', {
  taint: {
    type: 'string',
    description:
      'The NoExecute taint, as kubectl prints it: the first that is not tolerated, else the one tolerated for the shortest time.',
    example: 'maintenance:NoExecute',
  },
  toleration: {
    type: 'string',
    optional: true,
    description: 'The toleration of the pod that is used for it; null where none matches.',
    example: 'spec.tolerations[0]',
  },
});

export const EVICTION = enumType(
  'EvictionOfPod',
  'now: deleted at once; after: deleted after some seconds; never: it stays; cancelled: it was to be deleted, and now is not.',
  ['now', 'after', 'never', 'cancelled'],
);

export const podEviction = object('PodEviction', 'What a change of NoExecute taints does to one pod.', {
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: { type: 'string', description: 'Its name.', example: 'web-0' },
  node: { type: 'string', description: 'The node that it is on.', example: 'node-7' },
  workload: { type: workloadName, description: 'What it belongs to.' },
  when: { type: EVICTION, description: 'Whether and when it goes.', example: 'after' },
  seconds: {
    type: 'number',
    optional: true,
    description: 'How many seconds it stays, where it goes later; from when the controller sees the taint.',
    example: 300,
  },
  at: {
    type: 'time',
    optional: true,
    description: 'When that is, if the controller sees the taint when the change is made.',
    example: '2026-05-04T03:07:01Z',
  },
  because: { type: evictionCause, optional: true, description: 'Why; null where it was cancelled.' },
  note: {
    type: 'string',
    optional: true,
    description: 'What is particular: a static pod, one that has ended, one that is being deleted already.',
  },
});

export const podEvictionList = object(
  'PodEvictionList',
  'Pods that go now, then those that go later (soonest first), cancelled ones, and those that stay.',
  {
    total: { type: 'integer', description: 'How many.', example: 1 },
    items: { type: podEviction, list: true, description: 'The first of them; none with `view=groups`.', example: [] },
  },
);

const { node, ...OF_EVICTION } = without(podEviction.members, 'namespace', 'name', 'workload');

export const podEvictionGroup = object(
  'PodEvictionGroup',
  'Pods to which a change does the same, for the same cause. What they differ in is null here, and stands in columns or with their workload.',
  {
    ...POD_GROUP,
    ...OF_EVICTION,
    node: { ...node, optional: true },
    because: { ...podEviction.members.because, example: exampleOf(evictionCause) },
  },
);

export const evictionEffects = object(
  'EvictionEffects',
  'What the taint eviction controller makes of the pods on the edited nodes, as far as the change alters it.',
  {
    counts: { type: evictionCounts, description: 'All of them, listed or not.' },
    byWorkload: { type: workloadEvictionsList, description: 'By workload.' },
    groups: {
      type: podEvictionGroup,
      list: true,
      description:
        'The pods in groups by cause: those that go now, then those that go later (soonest first), cancelled ones, and those that stay. None with `view=pods`.',
    },
    pods: { type: podEvictionList, description: 'Pod by pod, with `view=pods`; at most 1,000.' },
  },
);

export const workloadFeasibility = object(
  'WorkloadFeasibility',
  'How the nodes differ that pods of a workload may go to, by taints, cordons and labels (NodeUnschedulable, TaintToleration, NodeAffinity). Pods of one workload that demand different things have an entry each.',
  {
    workload: { type: workloadName, description: 'The workload.' },
    pods: {
      type: 'integer',
      description: 'How many pods, those that ended left out; 0 where its template speaks for it.',
      example: 3,
    },
    feasibleBefore: { type: 'integer', description: 'Feasible nodes before.', example: 12 },
    feasibleAfter: { type: 'integer', description: 'Feasible nodes after.', example: 9 },
    lost: { type: someNodes, description: 'Nodes that were feasible and are not.' },
    gained: { type: someNodes, description: 'Nodes that are feasible and were not.' },
    becameInfeasible: { type: 'boolean', description: 'No node is left, where there was one.', example: false },
    becameFeasible: { type: 'boolean', description: 'There is a node, where there was none.', example: false },
  },
);

export const feasibilityCounts = object(
  'FeasibilityCounts',
  'Entries by what the change does to them, listed or not.',
  {
    lost: { type: 'integer', description: 'They lose nodes.', example: 4 },
    gained: { type: 'integer', description: 'They gain nodes.', example: 0 },
    becameInfeasible: { type: 'integer', description: 'They are left without a node.', example: 1 },
    becameFeasible: { type: 'integer', description: 'They get their first node.', example: 0 },
  },
);

export const workloadFeasibilityList = object(
  'WorkloadFeasibilityList',
  'Those that became infeasible first, then by namespace, kind and name.',
  {
    total: { type: 'integer', description: 'How many.', example: 1 },
    items: {
      type: workloadFeasibility,
      list: true,
      description: 'The first of them; none with `view=groups`.',
      example: [],
    },
  },
);

const { feasibleBefore, feasibleAfter, lost, gained, becameInfeasible, becameFeasible } = workloadFeasibility.members;

export const groupedFeasibility = object('GroupedFeasibility', 'A workload in a group.', {
  workload: { type: workloadName, description: 'The workload.' },
  pods: workloadFeasibility.members.pods,
});

export const workloadFeasibilityGroup = object(
  'WorkloadFeasibilityGroup',
  'Workloads that lose and gain the same nodes. Amounts in which they differ are null here, and stand in columns.',
  {
    count: { type: 'integer', description: 'How many entries.', example: 1 },
    podCount: { type: 'integer', description: 'Pods of all of them.', example: 3 },
    feasibleBefore: { ...feasibleBefore, optional: true },
    feasibleAfter: { ...feasibleAfter, optional: true },
    lost,
    gained,
    becameInfeasible,
    becameFeasible,
    workloads: {
      type: groupedFeasibility,
      list: true,
      description: 'The workloads. Columns have their values in this order.',
    },
    columns: COLUMNS,
  },
);

export const feasibilityEffects = object(
  'FeasibilityEffects',
  'Which workloads have other nodes to go to than before.',
  {
    counts: { type: feasibilityCounts, description: 'How many.' },
    groups: {
      type: workloadFeasibilityGroup,
      list: true,
      description: 'Those that lose and gain the same, those that became infeasible first. None with `view=pods`.',
    },
    entries: { type: workloadFeasibilityList, description: 'Which, one by one, with `view=pods`; at most 1,000.' },
  },
);

export const budgetAtRisk = object(
  'BudgetAtRisk',
  'A PodDisruptionBudget, and how many of its pods go without its being asked.',
  {
    namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
    name: { type: 'string', description: 'Its name.', example: 'web' },
    minAvailable: { type: 'string', optional: true, description: 'A number or a share.', example: '2' },
    maxUnavailable: { type: 'string', optional: true, description: 'A number or a share.', example: '25%' },
    now: { type: 'integer', description: 'Pods that go at once.', example: 3 },
    after: { type: 'integer', description: 'Pods that go later.', example: 0 },
    currentHealthy: { type: 'integer', optional: true, description: 'Healthy pods, as its status says.', example: 4 },
    disruptionsAllowed: {
      type: 'integer',
      optional: true,
      description: 'Disruptions allowed, as its status says.',
      example: 1,
    },
  },
);

export const EFFECT_WARNING_CODE = enumType('EffectWarningCode', 'What a warning is about, for programs.', [
  'pool-nobody-tolerates',
  'last-feasible-node-lost',
  'zone-closed',
  'cluster-closed',
  'control-plane-node',
  'control-plane-opened',
  'daemonset-stops',
  'pdb-not-respected',
  'managed-taint-undone',
  'taint-key-owned',
  'legacy-taint-key',
]);

export const effectWarning = object(
  'EffectWarning',
  'Something about a change that a person should know before making it.',
  {
    code: { type: EFFECT_WARNING_CODE, description: 'Stable, for programs.', example: 'pool-nobody-tolerates' },
    message: {
      type: 'string',
      description: 'A sentence or two.',
      example: 'No pod tolerates dedicated=ml:NoSchedule: nothing new can be scheduled to these nodes.',
    },
    nodes: { type: someNodes, optional: true, description: 'The nodes that it is about.' },
    workload: { type: workloadName, optional: true, description: 'The workload that it is about.' },
    taints: {
      type: 'string',
      list: true,
      description: 'The taints that it is about, as kubectl prints them.',
      example: ['dedicated=ml:NoSchedule'],
    },
    zone: { type: 'string', optional: true, description: 'The zone that it is about.', example: 'eu-central-1a' },
    budget: { type: budgetAtRisk, optional: true, description: 'The budget that it is about.' },
  },
);

export const effectWarningList = object(
  'EffectWarningList',
  'Warnings, grouped by code; at most twenty of a code are listed.',
  {
    total: { type: 'integer', description: 'How many.', example: 1 },
    items: { type: effectWarning, list: true, description: 'The first of them.' },
  },
);

export const notConsidered = object(
  'NotConsidered',
  'A kind that was never loaded, and what could not be told for lack of it.',
  {
    kind: { type: 'string', description: 'The kind.', example: 'PodDisruptionBudget' },
    why: { type: 'string', description: 'What could not be told.', example: 'whether a budget is at risk' },
  },
);

export const taintEffects = object(
  'TaintEffects',
  'What a change of the taints, cordons and labels of nodes does to pods and workloads.',
  {
    evictions: { type: evictionEffects, description: 'Pods that NoExecute taints evict.' },
    workloads: { type: feasibilityEffects, description: 'Workloads that lose or gain nodes.' },
    warnings: { type: effectWarningList, description: 'What to know before making the change.' },
    notConsidered: { type: notConsidered, list: true, description: 'What was not looked at.' },
  },
);

/** Which view of effects is wanted, in REST; GraphQL has fields of both. */
export const EFFECTS_VIEW = {
  view: {
    type: PODS_VIEW,
    optional: true,
    defaultsTo: 'groups',
    description: 'Pods and workloads of `effects` in groups of those that are equal, or one by one.',
  },
} as const;
