import { without } from '../../core/collections/without.js';
import { COLUMNS, POD_GROUP, PODS_VIEW } from '../common/group.js';
import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { workloadName } from '../common/workload-name.js';

export const someNodes = object('SomeNodes', 'A number of nodes, and the names of the first few.', {
  total: { type: 'integer', description: 'Number of nodes.', example: 12 },
  items: { type: 'identifier', list: true, description: 'Names of the first few nodes.', example: ['node-1'] },
});

export const evictionCounts = object('EvictionCounts', 'Pods on the edited nodes by effect of the change.', {
  now: { type: 'integer', description: 'Pods deleted as soon as the controller sees the taint.', example: 3 },
  after: { type: 'integer', description: 'Pods deleted when their tolerationSeconds end.', example: 1 },
  never: { type: 'integer', description: 'Pods that tolerate the new NoExecute taints forever.', example: 2 },
  cancelled: { type: 'integer', description: 'Pods that were due to be deleted, but no longer are.', example: 0 },
  pending: {
    type: 'integer',
    description:
      'Pods that are deleted at the same time as without the change, because running timers never change. Not listed.',
    example: 0,
  },
});

export const workloadEvictions = object('WorkloadEvictions', 'Evicted pods of one workload.', {
  workload: { type: workloadName, description: 'The workload.' },
  now: { type: 'integer', description: 'Number of pods evicted immediately.', example: 3 },
  after: { type: 'integer', description: 'Number of pods evicted later.', example: 0 },
});

export const workloadEvictionsList = object(
  'WorkloadEvictionsList',
  'Workloads with evicted pods; most immediate evictions first.',
  {
    total: { type: 'integer', description: 'Number of workloads.', example: 1 },
    items: { type: workloadEvictions, list: true, description: 'The first workloads.' },
  },
);

export const evictionCause = object('EvictionCause', 'What decides whether and when a pod is evicted.', {
  taint: {
    type: 'string',
    description:
      'The NoExecute taint, as kubectl prints it: the first that is not tolerated, or the one tolerated for the ' +
      'shortest time.',
    example: 'maintenance:NoExecute',
  },
  toleration: {
    type: 'string',
    optional: true,
    description: 'The toleration that applies to the taint; null if none matches.',
    example: 'spec.tolerations[0]',
  },
});

export const EVICTION = enumType(
  'EvictionOfPod',
  'now: deleted immediately; after: deleted after some seconds; never: not deleted; cancelled: was due to be deleted, but no longer is.',
  ['now', 'after', 'never', 'cancelled'],
);

export const podEviction = object('PodEviction', 'Effect of a change of NoExecute taints on one pod.', {
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Pod name.', example: 'web-0' },
  node: { type: 'identifier', description: 'Node of the pod.', example: 'node-7' },
  workload: { type: workloadName, description: 'Workload of the pod.' },
  when: { type: EVICTION, description: EVICTION.description, example: 'after' },
  seconds: {
    type: 'number',
    optional: true,
    description: 'For a later eviction: number of seconds that the pod stays after the controller sees the taint.',
    example: 300,
  },
  at: {
    type: 'time',
    optional: true,
    description: 'Time of the deletion, if the controller sees the taint when the change is made.',
    example: '2026-05-04T03:07:01Z',
  },
  because: {
    type: evictionCause,
    optional: true,
    description: 'The deciding taint and toleration; null for a cancelled eviction.',
  },
  note: {
    type: 'string',
    optional: true,
    description: 'Special case: a static pod, a finished pod, or a pod that is already being deleted.',
  },
});

export const podEvictionList = object(
  'PodEvictionList',
  'Pods that are evicted now, then those evicted later (soonest first), cancelled evictions, and pods that stay.',
  {
    total: { type: 'integer', description: 'Number of pods.', example: 1 },
    items: { type: podEviction, list: true, description: 'The first of them; none with `view=groups`.', example: [] },
  },
);

const { node, ...OF_EVICTION } = without(podEviction.members, 'namespace', 'name', 'workload');

export const podEvictionGroup = object(
  'PodEvictionGroup',
  'Pods on which a change has the same effect, for the same cause. Members in which they differ are null; `columns` or the workload has the values.',
  {
    ...POD_GROUP,
    ...OF_EVICTION,
    node: { ...node, optional: true },
    because: { ...podEviction.members.because, example: exampleOf(evictionCause) },
  },
);

export const evictionEffects = object(
  'EvictionEffects',
  'What the change alters in the evictions by the taint eviction controller on the edited nodes.',
  {
    counts: { type: evictionCounts, description: 'All pods, listed or not.' },
    byWorkload: { type: workloadEvictionsList, description: 'Evictions by workload.' },
    groups: {
      type: podEvictionGroup,
      list: true,
      description:
        'The pods in groups by cause: those evicted immediately, then those evicted later (soonest first), cancelled evictions, and pods that stay. Empty with `view=pods`.',
    },
    pods: { type: podEvictionList, description: 'The pods one by one, with `view=pods`; at most 1,000.' },
  },
);

export const workloadFeasibility = object(
  'WorkloadFeasibility',
  "How the feasible nodes of a workload's pods change, by taints, cordons and labels (NodeUnschedulable, " +
    'TaintToleration, NodeAffinity). Pods of one workload with different requirements have separate entries.',
  {
    workload: { type: workloadName, description: 'The workload.' },
    pods: {
      type: 'integer',
      description: 'Number of pods, without finished ones; 0 if the pod template was evaluated instead.',
      example: 3,
    },
    feasibleBefore: { type: 'integer', description: 'Feasible nodes before.', example: 12 },
    feasibleAfter: { type: 'integer', description: 'Feasible nodes after.', example: 9 },
    lost: { type: someNodes, description: 'Nodes that are no longer feasible.' },
    gained: { type: someNodes, description: 'Nodes that became feasible.' },
    becameInfeasible: { type: 'boolean', description: 'Whether the last feasible node was lost.', example: false },
    becameFeasible: { type: 'boolean', description: 'Whether the first feasible node was gained.', example: false },
  },
);

export const feasibilityCounts = object('FeasibilityCounts', 'Entries by effect, listed or not.', {
  lost: { type: 'integer', description: 'Entries that lose nodes.', example: 4 },
  gained: { type: 'integer', description: 'Entries that gain nodes.', example: 0 },
  becameInfeasible: { type: 'integer', description: 'Entries that lose their last node.', example: 1 },
  becameFeasible: { type: 'integer', description: 'Entries that get their first node.', example: 0 },
});

export const workloadFeasibilityList = object(
  'WorkloadFeasibilityList',
  'Entries that became infeasible first, then by namespace, kind and name.',
  {
    total: { type: 'integer', description: 'Number of entries.', example: 1 },
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
  'Workloads that lose and gain the same nodes. Amounts in which they differ are null; `columns` has the values.',
  {
    count: { type: 'integer', description: 'Number of entries.', example: 1 },
    podCount: { type: 'integer', description: 'Number of pods of all entries.', example: 3 },
    feasibleBefore: { ...feasibleBefore, optional: true },
    feasibleAfter: { ...feasibleAfter, optional: true },
    lost,
    gained,
    becameInfeasible,
    becameFeasible,
    workloads: {
      type: groupedFeasibility,
      list: true,
      description: 'The workloads. Columns list their values in this order.',
    },
    columns: COLUMNS,
  },
);

export const feasibilityEffects = object('FeasibilityEffects', 'Workloads whose feasible nodes change.', {
  counts: { type: feasibilityCounts, description: 'Entries by effect.' },
  groups: {
    type: workloadFeasibilityGroup,
    list: true,
    description:
      'Entries that lose and gain the same nodes, in groups; those that became infeasible first. Empty with `view=pods`.',
  },
  entries: { type: workloadFeasibilityList, description: 'The entries one by one, with `view=pods`; at most 1,000.' },
});

export const budgetAtRisk = object(
  'BudgetAtRisk',
  'A PodDisruptionBudget with pods that are evicted without a check of the budget.',
  {
    namespace: { type: 'identifier', description: 'Budget namespace.', example: 'default' },
    name: { type: 'identifier', description: 'Budget name.', example: 'web' },
    minAvailable: {
      type: 'identifier',
      optional: true,
      description: 'Number or percentage, if set.',
      example: '2',
    },
    maxUnavailable: {
      type: 'identifier',
      optional: true,
      description: 'Number or percentage, if set.',
      example: '25%',
    },
    now: { type: 'integer', description: 'Number of pods evicted immediately.', example: 3 },
    after: { type: 'integer', description: 'Number of pods evicted later.', example: 0 },
    currentHealthy: {
      type: 'integer',
      optional: true,
      description: 'Healthy pods, from the status.',
      example: 4,
    },
    disruptionsAllowed: {
      type: 'integer',
      optional: true,
      description: 'Allowed disruptions, from the status.',
      example: 1,
    },
  },
);

export const EFFECT_WARNING_CODE = enumType('EffectWarningCode', 'Stable code of a warning about a change.', [
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

export const effectWarning = object('EffectWarning', 'Something to know before making the change.', {
  code: { type: EFFECT_WARNING_CODE, description: EFFECT_WARNING_CODE.description, example: 'pool-nobody-tolerates' },
  message: {
    type: 'string',
    description: 'The warning, in one or two sentences.',
    example: 'No pod tolerates dedicated=ml:NoSchedule: nothing new can be scheduled to these nodes.',
  },
  nodes: { type: someNodes, optional: true, description: 'The affected nodes.' },
  workload: { type: workloadName, optional: true, description: 'The affected workload.' },
  taints: {
    type: 'string',
    list: true,
    description: 'The affected taints, as kubectl prints them.',
    example: ['dedicated=ml:NoSchedule'],
  },
  zone: { type: 'identifier', optional: true, description: 'The affected zone.', example: 'eu-central-1a' },
  budget: { type: budgetAtRisk, optional: true, description: 'The affected budget.' },
});

export const effectWarningList = object(
  'EffectWarningList',
  'Warnings grouped by code; at most 20 per code are listed.',
  {
    total: { type: 'integer', description: 'Number of warnings.', example: 1 },
    items: { type: effectWarning, list: true, description: 'The first warnings.' },
  },
);

export const notConsidered = object(
  'NotConsidered',
  'A kind that was never loaded, and what could not be evaluated without it.',
  {
    kind: { type: 'identifier', description: 'Kind name.', example: 'PodDisruptionBudget' },
    why: { type: 'string', description: 'What could not be evaluated.', example: 'whether a budget is at risk' },
  },
);

export const taintEffects = object(
  'TaintEffects',
  'Effects of a change of taints, cordons and labels on pods and workloads.',
  {
    evictions: { type: evictionEffects, description: 'Effects on evictions by NoExecute taints.' },
    workloads: { type: feasibilityEffects, description: 'Workloads that lose or gain nodes.' },
    warnings: { type: effectWarningList, description: 'What to know before making the change.' },
    notConsidered: { type: notConsidered, list: true, description: 'What could not be evaluated.' },
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
