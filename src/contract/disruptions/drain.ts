import { without } from '../../core/collections/without.js';
import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { taint } from '../common/taint.js';
import { workloadName } from '../common/workload-name.js';
import { BUDGET_TEXT, disruptionBudget } from './disruption-budget.js';
import { answerBasis } from '../common/basis.js';
import { POD_GROUP } from '../common/group.js';
import { LANDING_VERDICT, landingUnknown, NEVER_REPLACED } from '../evictions/landing.js';

const NOW = '2026-05-04T03:02:43.000Z';
const NO_EXECUTE_TAINT = {
  key: 'maintenance',
  value: 'true',
  effect: 'NoExecute',
  timeAdded: null,
  text: 'maintenance=true:NoExecute',
  wellKnown: null,
};

export const REASON = enumType('DrainReason', "kubectl's status for a pod.", ['Okay', 'Skip', 'Warning', 'Error']);

export const CHECK = enumType('DrainCheck', 'The check of kubectl drain that decides about a pod.', [
  'deleted',
  'daemonSet',
  'mirrorPod',
  'localStorage',
  'unreplicated',
]);

export const EVICTION_WHY = enumType('EvictionWhy', 'Why the Eviction API allows or refuses the eviction of a pod.', [
  'budgetNotAsked',
  'noBudget',
  'unreadyAlwaysAllowed',
  'unreadyBudgetHealthy',
  'disruptionUsed',
  'severalBudgets',
  'statusBehind',
  'disruptionsNegative',
  'tooManyDisrupted',
  'noDisruptionLeft',
]);

export const BASED_ON = enumType('EvictionBasis', 'Which status of the budget a decision is based on.', [
  'computed',
  'stored',
]);

export const NO_EXECUTE = enumType('NoExecuteAction', 'What NoExecute taints do to a pod.', ['now', 'after', 'never']);

export const DIFFERENCE = enumType('DrainDifference', 'How a drain and NoExecute differ for a pod.', [
  'daemonSetPodStays',
  'budgetNotAsked',
  'refusedByKubectl',
  'mirrorPod',
  'tolerated',
  'later',
  'notSelected',
  'skippedAsDeleted',
]);

export const POD_OUTCOME = enumType('RollingPodOutcome', 'Result of a rolling drain for a pod.', [
  'evicted',
  'blocked',
  'timedOut',
  'failed',
  'notReached',
  'unknown',
]);

export const NODE_OUTCOME = enumType('NodeDrainOutcome', 'Result of a rolling drain for a node.', [
  'drained',
  'podsPending',
  'refused',
  'blocked',
  'timedOut',
  'failed',
  'stuck',
  'unknown',
  'notReached',
]);

export const BLOCK_REASON = enumType('BlockReason', 'Why a budget blocks pods.', [
  'neverAllows',
  'notEnoughHealthy',
  'syncFails',
  'unknown',
]);

export const drainDecision = object('DrainDecision', 'Decision of kubectl drain about a pod.', {
  delete: { type: 'boolean', description: 'Whether the pod is removed.', example: true },
  reason: { type: REASON, description: "kubectl's status for the pod. `Error` stops the drain.", example: 'Okay' },
  message: { type: 'string', description: "kubectl's message; empty for Okay and Skip.", example: '' },
  check: { type: CHECK, optional: true, description: 'The deciding check; null if the pod passes all checks.' },
});

export const evictionReview = object(
  'EvictionReview',
  'Response of the Eviction API now, after the pods before this one and if only this node were drained.',
  {
    allowed: {
      type: 'boolean',
      optional: true,
      description: 'Whether the eviction is allowed; null if unknown.',
      example: false,
    },
    why: {
      type: EVICTION_WHY,
      optional: true,
      description: 'Why the eviction is allowed or refused; null if unknown.',
      example: 'noDisruptionLeft',
    },
    code: { type: 'integer', optional: true, description: 'HTTP status code of the refusal.', example: 429 },
    message: {
      type: 'string',
      optional: true,
      description: 'Message of the refusal.',
      example: "Cannot evict pod as it would violate the pod's disruption budget.",
    },
    cause: {
      type: 'string',
      optional: true,
      description: 'What the response says about the budget, or what is unknown.',
      example: 'The disruption budget web needs 5 healthy pods and has 5 currently',
    },
    retryAfterSeconds: {
      type: 'integer',
      optional: true,
      description: 'Seconds after which to retry, if the response contains them.',
    },
    basedOn: {
      type: BASED_ON,
      optional: true,
      description: "`computed`: the controller's next status; `stored`: the stored status, if the next is unknown.",
      example: 'computed',
    },
  },
);

export const noExecuteOutcome = object(
  'NoExecuteOutcome',
  "What the taint and the node's existing NoExecute taints do to a pod.",
  {
    action: { type: NO_EXECUTE, description: NO_EXECUTE.description, example: 'now' },
    afterSeconds: { type: 'number', optional: true, description: 'For `after`: seconds until the eviction.' },
    at: {
      type: 'time',
      optional: true,
      description: 'Time of the eviction, if the controller sees the taint now.',
      example: NOW,
    },
    taint: { type: taint, description: 'The deciding taint.', example: NO_EXECUTE_TAINT },
    toleration: {
      type: 'integer',
      optional: true,
      description: "Index of the deciding toleration in the pod's list; null if no toleration matches.",
    },
  },
);

export const rollingReplacement = object('RollingReplacement', 'The pod that replaces an evicted one.', {
  verdict: {
    type: LANDING_VERDICT,
    optional: true,
    description: 'Whether it finds a node; null if the pod is not replaced.',
    example: 'feasible',
  },
  never: { type: NEVER_REPLACED, optional: true, description: 'Why the pod is not replaced.' },
  at: { type: 'time', optional: true, description: 'When it is created; null if never or unknown.', example: NOW },
  node: { type: 'identifier', optional: true, description: 'The node on which the plan places it.', example: 'node-2' },
  landedAt: { type: 'time', optional: true, description: 'When it is placed there.', example: NOW },
  readyAt: { type: 'time', optional: true, description: 'When it is ready; null also if the evicted pod was not.' },
  message: {
    type: 'string',
    optional: true,
    description: 'Message of Kubernetes if there was no node when it was created.',
    example: '0/4 nodes are available: 4 node(s) were unschedulable.',
  },
  unknownBecause: { type: landingUnknown, list: true, description: 'Why the verdict is unknown.' },
});

export const rollingPod = object('RollingPod', 'Result of the rolling drain for a pod.', {
  outcome: { type: POD_OUTCOME, description: POD_OUTCOME.description, example: 'blocked' },
  evictedAt: { type: 'time', optional: true, description: 'When the pod is evicted, if known.' },
  goneAt: { type: 'time', optional: true, description: 'When the pod is gone, if known.' },
  tries: {
    type: 'integer',
    optional: true,
    description: 'Eviction attempts by kubectl; null if endless or none.',
  },
  round: {
    type: 'integer',
    optional: true,
    description: 'Round of the eviction, from 1: each time at which pods of its node are evicted.',
  },
  replacement: {
    type: rollingReplacement,
    optional: true,
    description: 'What replaces the pod, and where; null unless the pod is evicted.',
  },
});

export const drainedPod = object('DrainedPod', 'A pod of a drained node: the effect of the drain and of NoExecute.', {
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Pod name.', example: 'web-0' },
  node: { type: 'identifier', description: 'Node of the pod.', example: 'node-1' },
  phase: { type: 'identifier', description: 'Pod phase.', example: 'Running' },
  workload: { type: workloadName, description: 'Workload of the pod.' },
  decision: {
    type: drainDecision,
    optional: true,
    description: "kubectl's decision; null if not selected.",
    example: exampleOf(drainDecision),
  },
  budgets: { type: 'identifier', list: true, description: 'Budgets that select the pod.', example: ['default/web'] },
  eviction: {
    type: evictionReview,
    optional: true,
    description: 'Response of the Eviction API; null if the pod is not evicted.',
    example: exampleOf(evictionReview),
  },
  noExecute: { type: noExecuteOutcome, description: 'Effect of NoExecute on the pod.' },
  difference: {
    type: DIFFERENCE,
    optional: true,
    description: 'How the drain and NoExecute differ; null if they do not.',
    example: 'budgetNotAsked',
  },
  rolling: {
    type: rollingPod,
    optional: true,
    description: 'Result of the rolling drain; null if the pod is not evicted.',
    example: exampleOf(rollingPod),
  },
});

const { node, phase, budgets, ...OF_POD } = without(drainedPod.members, 'namespace', 'name', 'workload');

export const drainedPodGroup = object(
  'DrainedPodGroup',
  'Pods on which the drain and NoExecute have the same effects, for the same reasons.',
  {
    ...POD_GROUP,
    node: { ...node, optional: true, description: 'Node of the pods; null if they differ.', example: 'node-1' },
    phase: { ...phase, optional: true, description: 'Phase of the pods; null if they differ.', example: 'Running' },
    budgets: { ...budgets, optional: true },
    ...OF_POD,
  },
);

export const drainedNodeCounts = object('DrainedNodeCounts', 'Number of pods of a drained node.', {
  pods: { type: 'integer', description: 'All pods.', example: 1 },
  selected: { type: 'integer', description: 'Selected pods.', example: 1 },
  toDelete: { type: 'integer', description: 'Pods to evict or delete.', example: 1 },
  refusedNow: { type: 'integer', description: 'Evictions that would be refused now.', example: 1 },
  now: { type: 'integer', description: 'Evicted immediately by NoExecute.', example: 1 },
  after: { type: 'integer', description: 'Evicted later by NoExecute.', example: 0 },
  never: { type: 'integer', description: 'Never evicted by NoExecute.', example: 0 },
});

export const podWithoutNode = object('PodWithoutNode', 'An evicted pod whose replacement finds no node.', {
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Name of the evicted pod.', example: 'web-0' },
  why: {
    type: 'string',
    optional: true,
    description:
      'Message of Kubernetes when the replacement was created, or why it is not created; null if not explained.',
    example: '0/4 nodes are available: 4 node(s) were unschedulable.',
  },
});

export const podWithoutNodeList = object('PodWithoutNodeList', 'Evicted pods whose replacements find no node.', {
  total: { type: 'integer', description: 'Number of pods.', example: 0 },
  items: { type: podWithoutNode, list: true, description: 'The first 10, by namespace and name.' },
});

export const drainedNode = object('DrainedNode', 'A drained node.', {
  node: { type: 'identifier', description: 'Node name.', example: 'node-1' },
  starts: {
    type: 'boolean',
    description: 'False if kubectl reports errors and evicts no pod. The node is cordoned anyway.',
    example: true,
  },
  warnings: { type: 'string', list: true, description: "kubectl's warnings, one text per message.", example: [] },
  errors: { type: 'string', list: true, description: "kubectl's errors, one text per message.", example: [] },
  counts: { type: drainedNodeCounts, description: 'Number of pods.' },
  kubeletSilent: {
    type: 'boolean',
    description:
      'Whether the Ready condition is Unknown. Pods are then not removed unless the node is marked out of service.',
    example: false,
  },
  outcome: { type: NODE_OUTCOME, description: NODE_OUTCOME.description, example: 'blocked' },
  startsAt: { type: 'time', optional: true, description: 'Start of the drain; null if never.', example: NOW },
  endsAt: { type: 'time', optional: true, description: 'End of the drain; null if never or unknown.' },
  rounds: { type: 'integer', description: 'Number of times at which pods are evicted.', example: 0 },
  withoutNode: { type: podWithoutNodeList, description: 'Evicted pods whose replacements find no node.' },
  unknownBecause: {
    type: 'string',
    list: true,
    description: 'What is not known about the outcome or about replacements: the first reasons.',
    example: [],
  },
});

export const blockingBudget = object(
  'BlockingBudget',
  'A budget that blocks evictions forever, or until kubectl times out.',
  {
    budget: { type: 'identifier', description: 'Namespace and name of the budget.', example: 'default/web' },
    why: { type: BLOCK_REASON, description: BLOCK_REASON.description, example: 'neverAllows' },
    pods: { type: 'integer', description: 'Blocked pods.', example: 1 },
    nodes: { type: 'integer', description: 'Affected nodes.', example: 1 },
    text: { type: 'string', description: "The budget's calculation as text.", example: BUDGET_TEXT },
  },
);

export const drainDifferenceCount = object(
  'DrainDifferenceCount',
  'Number of pods for which a drain and NoExecute differ in one way.',
  {
    difference: { type: DIFFERENCE, description: DIFFERENCE.description, example: 'budgetNotAsked' },
    pods: { type: 'integer', description: 'Number of pods.', example: 1 },
    text: {
      type: 'string',
      description: 'The difference as text.',
      example:
        'A PodDisruptionBudget refuses the eviction now, and kubectl waits. The taint eviction controller deletes pods regardless of budgets.',
    },
  },
);

export const drainedNodeList = object('DrainedNodeList', 'The nodes in the order of the drain.', {
  total: { type: 'integer', description: 'Number of nodes.', example: 1 },
  items: { type: drainedNode, list: true, description: 'The first 500.' },
});

export const blockingBudgetList = object(
  'BlockingBudgetList',
  'Budgets that block evictions forever or until kubectl times out, most pods first.',
  {
    total: { type: 'integer', description: 'Number of budgets.', example: 1 },
    items: { type: blockingBudget, list: true, description: 'The first 100.' },
  },
);

export const drainBudgetList = object(
  'DrainBudgetList',
  'Budgets that select pods of the drained nodes, blocking ones first.',
  {
    total: { type: 'integer', description: 'Number of budgets.', example: 1 },
    items: { type: disruptionBudget, list: true, description: 'The first 100.' },
  },
);

/** The members of a drain plan besides its pods. */
export const drainHead = object(
  'DrainHead',
  '',
  {
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
    taint: {
      type: taint,
      description: 'The NoExecute taint that the drain is compared with.',
      example: NO_EXECUTE_TAINT,
    },
    startsAt: { type: 'time', description: 'Start of the first drain: `asOf`.', example: NOW },
    endsAt: {
      type: 'time',
      optional: true,
      description: 'End of the last drain; null if never or unknown.',
    },
    lengthSeconds: { type: 'number', optional: true, description: 'Seconds from `startsAt` to `endsAt`.' },
    nodes: { type: drainedNodeList, description: 'The drained nodes.' },
    blocking: {
      type: blockingBudgetList,
      description: 'Budgets that block the drain forever, or until kubectl times out.',
    },
    budgets: { type: drainBudgetList, description: 'Budgets that select pods of the drained nodes.' },
    differences: {
      type: drainDifferenceCount,
      list: true,
      description: 'How the drain and NoExecute differ, most pods first.',
    },
    assumptions: {
      type: 'string',
      list: true,
      description: 'Assumptions behind the times.',
      example: ['kubectl waits forever; a node that cannot be drained blocks those after it.'],
    },
  },
  { restOnly: true },
);
