import { without } from '../../core/scenario/without.js';
import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';
import { taint } from '../common/taint.js';
import { workloadName } from '../common/workload-name.js';
import { BUDGET_TEXT, disruptionBudget } from './disruption-budget.js';
import { answerBasis } from '../common/basis.js';
import { POD_GROUP } from '../common/group.js';

const NOW = '2026-05-04T03:02:43.000Z';
const NO_EXECUTE_TAINT = {
  key: 'maintenance',
  value: 'true',
  effect: 'NoExecute',
  timeAdded: null,
  text: 'maintenance=true:NoExecute',
  wellKnown: null,
};

export const REASON = enumType('DrainReason', "Kubectl's word about a pod.", ['Okay', 'Skip', 'Warning', 'Error']);

export const CHECK = enumType('DrainCheck', 'The check of kubectl drain that decides about a pod.', [
  'deleted',
  'daemonSet',
  'mirrorPod',
  'localStorage',
  'unreplicated',
]);

export const EVICTION_WHY = enumType('EvictionWhy', 'Why the Eviction API lets a pod go, or does not.', [
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

export const BASED_ON = enumType('EvictionBasis', 'Which status of the budget an answer rests on.', [
  'computed',
  'stored',
]);

export const NO_EXECUTE = enumType('NoExecuteAction', 'What NoExecute taints do to a pod.', ['now', 'after', 'never']);

export const DIFFERENCE = enumType('DrainDifference', 'In what a drain and NoExecute differ for a pod.', [
  'daemonSetPodStays',
  'budgetNotAsked',
  'refusedByKubectl',
  'mirrorPod',
  'tolerated',
  'later',
  'notSelected',
  'skippedAsDeleted',
]);

export const POD_OUTCOME = enumType('RollingPodOutcome', 'What becomes of a pod in a rolling drain.', [
  'evicted',
  'blocked',
  'timedOut',
  'failed',
  'notReached',
  'unknown',
]);

export const NODE_OUTCOME = enumType('NodeDrainOutcome', 'What becomes of a node in a rolling drain.', [
  'drained',
  'refused',
  'blocked',
  'timedOut',
  'failed',
  'stuck',
  'unknown',
  'notReached',
]);

export const BLOCK_REASON = enumType('BlockReason', 'Why a budget holds pods up.', [
  'neverAllows',
  'notEnoughHealthy',
  'syncFails',
  'unknown',
]);

export const drainDecision = object('DrainDecision', 'What kubectl drain decides about a pod.', {
  delete: { type: 'boolean', description: 'Whether it goes.', example: true },
  reason: { type: REASON, description: "Kubectl's word; an Error stops the drain.", example: 'Okay' },
  message: { type: 'string', description: "Kubectl's message; empty for Okay and Skip.", example: '' },
  check: { type: CHECK, optional: true, description: 'The check that decides; null where every one lets it pass.' },
});

export const evictionReview = object(
  'EvictionReview',
  'What the Eviction API would answer now, were the node drained alone; after the pods before it.',
  {
    allowed: { type: 'boolean', optional: true, description: 'Null where it is not known.', example: false },
    why: {
      type: EVICTION_WHY,
      optional: true,
      description: 'Why; null where it is not known.',
      example: 'noDisruptionLeft',
    },
    code: { type: 'integer', optional: true, description: 'The status code of a refusal.', example: 429 },
    message: {
      type: 'string',
      optional: true,
      description: 'The message of a refusal.',
      example: "Cannot evict pod as it would violate the pod's disruption budget.",
    },
    cause: {
      type: 'string',
      optional: true,
      description: 'What the answer says of the budget; or what is not known.',
      example: 'The disruption budget web needs 5 healthy pods and has 5 currently',
    },
    retryAfterSeconds: {
      type: 'integer',
      optional: true,
      description: 'After how many seconds to come again, where it says so.',
    },
    basedOn: {
      type: BASED_ON,
      optional: true,
      description:
        'On the status that the disruption controller would write, or on the stored one where that is not known.',
      example: 'computed',
    },
  },
);

export const noExecuteOutcome = object(
  'NoExecuteOutcome',
  'What the taint, and the NoExecute taints that the node has, do to a pod once the controller sees them.',
  {
    action: { type: NO_EXECUTE, description: 'At once, later, or never.', example: 'now' },
    afterSeconds: { type: 'number', optional: true, description: 'For `after`: so many seconds later.' },
    at: { type: 'time', optional: true, description: 'When, if the controller sees the taint now.', example: NOW },
    taint: { type: taint, description: 'The taint that decides.', example: NO_EXECUTE_TAINT },
    toleration: {
      type: 'integer',
      optional: true,
      description:
        "The place in the pod's list of the toleration that decides, from 0; null where nothing tolerates it.",
    },
  },
);

export const rollingPod = object('RollingPod', 'What becomes of a pod in the rolling drain.', {
  outcome: { type: POD_OUTCOME, description: 'What.', example: 'blocked' },
  evictedAt: { type: 'time', optional: true, description: 'When it is let go.' },
  goneAt: { type: 'time', optional: true, description: 'When it is gone.' },
  tries: {
    type: 'integer',
    optional: true,
    description: 'How often kubectl asks; null for ever, or never.',
  },
  round: { type: 'integer', optional: true, description: 'In which round of its node it goes, from 1.' },
});

export const drainedPod = object(
  'DrainedPod',
  'A pod of a node that is drained: what the drain does, and what NoExecute does.',
  {
    namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
    name: { type: 'string', description: 'Its name.', example: 'web-0' },
    node: { type: 'string', description: 'Its node.', example: 'node-1' },
    phase: { type: 'string', description: 'Its phase.', example: 'Running' },
    workload: { type: workloadName, description: 'What it belongs to.' },
    decision: {
      type: drainDecision,
      optional: true,
      description: 'Null where the pod is not selected.',
      example: exampleOf(drainDecision),
    },
    budgets: { type: 'string', list: true, description: 'The budgets that select it.', example: ['default/web'] },
    eviction: {
      type: evictionReview,
      optional: true,
      description: 'Null where no eviction is asked for.',
      example: exampleOf(evictionReview),
    },
    noExecute: { type: noExecuteOutcome, description: 'What NoExecute does to the same pod.' },
    difference: {
      type: DIFFERENCE,
      optional: true,
      description: 'In what the two differ; null where they do the same.',
      example: 'budgetNotAsked',
    },
    rolling: {
      type: rollingPod,
      optional: true,
      description: 'Null where the drain leaves it.',
      example: exampleOf(rollingPod),
    },
  },
);

const { node, phase, budgets, ...OF_POD } = without(drainedPod.members, 'namespace', 'name', 'workload');

export const drainedPodGroup = object(
  'DrainedPodGroup',
  'Pods for which a drain and NoExecute do the same, for the same reasons.',
  {
    ...POD_GROUP,
    node: { ...node, optional: true, description: 'Their node; null where they are on several.', example: 'node-1' },
    phase: { ...phase, optional: true, description: 'Their phase; null where they differ.', example: 'Running' },
    budgets: { ...budgets, optional: true },
    ...OF_POD,
  },
);

export const drainedNodeCounts = object('DrainedNodeCounts', 'The pods of a node that is drained.', {
  pods: { type: 'integer', description: 'All.', example: 1 },
  selected: { type: 'integer', description: 'Selected.', example: 1 },
  toDelete: { type: 'integer', description: 'To go.', example: 1 },
  refusedNow: { type: 'integer', description: 'Of those, so many would be refused now.', example: 1 },
  now: { type: 'integer', description: 'NoExecute takes at once.', example: 1 },
  after: { type: 'integer', description: 'NoExecute takes later.', example: 0 },
  never: { type: 'integer', description: 'NoExecute never takes.', example: 0 },
});

export const drainedNode = object('DrainedNode', 'A node that is drained.', {
  node: { type: 'string', description: 'Its name.', example: 'node-1' },
  starts: {
    type: 'boolean',
    description: 'False where kubectl finds errors and touches no pod. The node is cordoned all the same.',
    example: true,
  },
  warnings: { type: 'string', list: true, description: "Kubectl's warnings, one text a message.", example: [] },
  errors: { type: 'string', list: true, description: "Kubectl's errors, one text a message.", example: [] },
  counts: { type: drainedNodeCounts, description: 'Its pods.' },
  kubeletSilent: {
    type: 'boolean',
    description:
      'Whether its Ready condition is Unknown: then nobody ends its pods, unless it is marked out of service.',
    example: false,
  },
  outcome: { type: NODE_OUTCOME, description: 'What becomes of it.', example: 'blocked' },
  startsAt: { type: 'time', optional: true, description: 'When its drain begins; null for never.', example: NOW },
  endsAt: { type: 'time', optional: true, description: 'When it is done; null for never, or where nobody knows.' },
  rounds: { type: 'integer', description: 'At how many moments pods are let go.', example: 0 },
});

export const blockingBudget = object('BlockingBudget', 'A budget for which evictions wait in vain.', {
  budget: { type: 'string', description: 'Its namespace and name.', example: 'default/web' },
  why: { type: BLOCK_REASON, description: 'Why.', example: 'neverAllows' },
  pods: { type: 'integer', description: 'How many pods it holds up.', example: 1 },
  nodes: { type: 'integer', description: 'On how many nodes.', example: 1 },
  text: { type: 'string', description: 'Its numbers in words.', example: BUDGET_TEXT },
});

export const drainDifferenceCount = object(
  'DrainDifferenceCount',
  'In what a drain and NoExecute differ, and for how many pods.',
  {
    difference: { type: DIFFERENCE, description: 'In what.', example: 'budgetNotAsked' },
    pods: { type: 'integer', description: 'For how many pods.', example: 1 },
    text: {
      type: 'string',
      description: 'In words.',
      example:
        'A PodDisruptionBudget refuses the eviction now and kubectl waits; the taint eviction controller deletes pods and asks no budget.',
    },
  },
);

export const drainedNodeList = object('DrainedNodeList', 'The nodes in the order in which they are drained.', {
  total: { type: 'integer', description: 'How many.', example: 1 },
  items: { type: drainedNode, list: true, description: 'The first 500.' },
});

export const blockingBudgetList = object(
  'BlockingBudgetList',
  'Budgets for which evictions wait in vain, most pods first.',
  {
    total: { type: 'integer', description: 'How many.', example: 1 },
    items: { type: blockingBudget, list: true, description: 'The first 100.' },
  },
);

export const drainBudgetList = object('DrainBudgetList', 'The budgets that have a say, those that block first.', {
  total: { type: 'integer', description: 'How many.', example: 1 },
  items: { type: disruptionBudget, list: true, description: 'The first 100.' },
});

/** What an answer says before its pods. */
export const drainHead = object(
  'DrainHead',
  '',
  {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    taint: {
      type: taint,
      description: 'The NoExecute taint that the drain is held against.',
      example: NO_EXECUTE_TAINT,
    },
    startsAt: { type: 'time', description: 'When the first node is drained: now.', example: NOW },
    endsAt: {
      type: 'time',
      optional: true,
      description: 'When the last one is done; null for never, or where nobody knows.',
    },
    lengthSeconds: { type: 'number', optional: true, description: 'How many seconds lie between.' },
    nodes: { type: drainedNodeList, description: 'The nodes.' },
    blocking: { type: blockingBudgetList, description: 'Which budgets hold the drain up for ever.' },
    budgets: { type: drainBudgetList, description: 'The budgets of the pods that are evicted.' },
    differences: {
      type: drainDifferenceCount,
      list: true,
      description: 'In what the two ways differ, most pods first.',
    },
    assumptions: {
      type: 'string',
      list: true,
      description: 'What the times rest on.',
      example: ['All nodes are cordoned before the first is drained, so no replacement lands on one of them.'],
    },
  },
  { restOnly: true },
);
