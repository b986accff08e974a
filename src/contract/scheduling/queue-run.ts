import { REASON_CODE } from '../placements/reason.js';
import { object, enumType } from '../schema.js';
import { workloadName } from '../common/workload-name.js';
import { quotaRaise } from '../quotas/quota-review.js';
import { without } from '../../core/scenario/without.js';
import { POD_GROUP } from '../common/group.js';
import { refusalTexts, unplacedReason, unplacedTaint } from '../common/refusal.js';
import { WORKLOAD_KINDS } from '../../core/admission/read-pod-manifest.js';
import {
  DEFAULT_CHANGES_TRIED,
  DEFAULT_TIME_BUDGET_MS,
  GREATEST_TIME_BUDGET_MS,
  MOST_CHANGES_TRIED,
  MOST_GIVEN,
  MOST_REPLICAS_GIVEN,
} from '../limits.js';
import { ADMISSION } from '../common/admission-mode.js';

export const OUTCOME = enumType(
  'QueueOutcome',
  'On a node; on none; kept out by its gates; failed; not tried, since the run stopped before.',
  ['placed', 'unplaced', 'gated', 'error', 'notTried'],
);

export const COMPLETENESS = enumType(
  'RunCompleteness',
  'Whether every pod had its turn, or the time was over before.',
  ['complete', 'partial'],
);

export const CHANGE = enumType('UnblockingKind', 'A single change that may let pods go.', [
  'RemoveTaint',
  'AddToleration',
  'Uncordon',
  'AddNodes',
  'RaiseQuota',
]);

export const TIME_BUDGET = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: GREATEST_TIME_BUDGET_MS,
  defaultsTo: DEFAULT_TIME_BUDGET_MS,
  description:
    'How long it may take, in milliseconds; when the time is over, the answer is what there is, and says so.',
  example: 5000,
} as const;

export const SCHEDULER_NAME = {
  type: 'string',
  optional: true,
  maximumLength: 253,
  defaultsTo: 'default-scheduler',
  description: 'Whose pods, by `spec.schedulerName`.',
} as const;

export const CONFIGURATION = {
  type: 'kubernetesObject',
  sharedAs: 'SchedulerConfigurationToUse',
  optional: true,
  description:
    "A KubeSchedulerConfiguration (v1), or a legacy Policy, that decides in the place of the cluster's; its profile of the scheduler's name.",
} as const;

export const queuedPodsInput = object(
  'QueuedPodsInput',
  'Pods that join the queue.',
  {
    id: {
      type: 'string',
      maximumLength: 200,
      description: 'Your name for them; the answer repeats it.',
      example: 'web',
    },
    pod: {
      type: 'kubernetesObject',
      description: `The manifest of a Pod, or of a workload: ${WORKLOAD_KINDS.filter((kind) => kind !== 'DaemonSet').join(', ')}.`,
      example: { metadata: { name: 'web' }, spec: { containers: [{ name: 'web' }] } },
    },
    replicas: {
      type: 'integer',
      optional: true,
      minimum: 0,
      maximum: MOST_REPLICAS_GIVEN,
      description: 'How many like it; as many as the manifest says by default.',
      example: 3,
    },
    namespace: {
      type: 'string',
      optional: true,
      description: 'Where it is sent; its own namespace, or else `default`.',
      example: 'default',
    },
  },
  { openApiName: 'QueuedPods' },
);

export const QUESTION = {
  pending: {
    type: 'boolean',
    optional: true,
    defaultsTo: true,
    description: 'Whether the pods that wait in the stored cluster are in the queue.',
  },
  pods: {
    type: queuedPodsInput,
    list: true,
    optional: true,
    maximumLength: MOST_GIVEN,
    description: `Pods besides, at most ${MOST_GIVEN} manifests and ${MOST_REPLICAS_GIVEN} replicas.`,
  },
  unblocking: {
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description:
      'Look for the single changes that let more pods go: a taint gone, a toleration, a cordon off, new nodes, a raised quota. The queue is run again after each.',
  },
  changesTried: {
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: MOST_CHANGES_TRIED,
    defaultsTo: DEFAULT_CHANGES_TRIED,
    description: 'Changes that are tried at most, those first that concern most pods.',
  },
  seed: {
    type: 'integer',
    optional: true,
    minimum: 0,
    maximum: 4_294_967_295,
    description:
      'Draws lots among nodes with the same total, as the scheduler does, the same ones each time; the first by name is taken by default.',
  },
} as const;

/** The question, to be extended by both transports. */
export const queueRunInput = object(
  'QueueRunInput',
  'The pods that wait, and how their run goes.',
  {
    pending: QUESTION.pending,
    pods: QUESTION.pods,
    admission: ADMISSION,
    schedulerName: SCHEDULER_NAME,
    configuration: CONFIGURATION,
    timeBudgetMs: TIME_BUDGET,
    unblocking: QUESTION.unblocking,
    changesTried: QUESTION.changesTried,
    seed: QUESTION.seed,
  },
  { openApiName: 'QueueRun' },
);

export const queueTotals = object('QueueTotals', 'Pods by what became of them.', {
  placed: { type: 'integer', description: 'On a node.', example: 3 },
  unplaced: { type: 'integer', description: 'On none.', example: 1 },
  gated: { type: 'integer', description: 'Kept out by their gates.', example: 0 },
  error: { type: 'integer', description: 'Failed.', example: 0 },
  notTried: { type: 'integer', description: 'Not tried: the run stopped before.', example: 0 },
});

export const queueWorkload = object('QueueWorkload', 'What became of the pods of a workload.', {
  ...queueTotals.members,
  id: { type: 'string', optional: true, description: 'Your name for them; null for stored pods.', example: 'web' },
  workload: { type: workloadName, description: 'The workload.' },
});

export const queueRefusal = object(
  'QueueRefusal',
  'Pods that admission does not let in, so that they are not in the queue.',
  {
    id: { type: 'string', description: 'Your name for them.', example: 'web' },
    by: { type: 'string', description: 'The plugin that refuses.', example: 'ResourceQuota' },
    message: { type: 'string', description: 'The message, to the letter.' },
    pods: { type: 'integer', description: 'How many.', example: 1 },
    raises: { type: quotaRaise, list: true, description: 'Numbers of quotas to raise, all of them together.' },
  },
);

export const queueReason = object(
  'QueueReason',
  'A reason, and how many of the pods on no node have it on some node.',
  {
    plugin: { type: 'string', description: 'The filter.', example: 'NodeResourcesFit' },
    code: { type: REASON_CODE, description: 'Stable, for programs.', example: 'InsufficientResource' },
    message: { type: 'string', description: "Kubernetes' own words.", example: 'Insufficient cpu' },
    pods: { type: 'integer', description: 'Pods.', example: 1 },
  },
);

export const queueTaint = object('QueueTaint', 'A taint, and how many of the pods on no node do not tolerate it.', {
  taint: { type: 'string', description: 'The taint.', example: 'dedicated=ml:NoSchedule' },
  pods: { type: 'integer', description: 'Pods.', example: 1 },
});

export const unblockingChange = object('UnblockingChange', 'A single change, and what the queue comes to after it.', {
  kind: { type: CHANGE, description: 'What changes.', example: 'AddNodes' },
  summary: { type: 'string', description: 'The same in words.', example: 'add 1 node like node-1' },
  unblocks: { type: 'integer', description: 'Pods that find a node after it and found none before.', example: 1 },
  blocks: { type: 'integer', description: 'Pods that found one before and find none after.', example: 0 },
  taint: { type: 'string', optional: true, description: 'Of taints and tolerations: the taint.', example: null },
  workload: { type: workloadName, optional: true, description: 'Whose pods change or come.' },
  like: { type: 'string', optional: true, description: 'Of new nodes: which they are like.', example: 'node-1' },
  nodes: { type: 'integer', optional: true, description: 'Nodes that change or come.', example: 1 },
});

export const unblocking = object('Unblocking', 'Single changes that let more pods go.', {
  tried: { type: 'integer', description: 'Changes that were tried.', example: 1 },
  candidates: { type: 'integer', description: 'Changes of nodes and pods that there were to try.', example: 1 },
  isPartial: { type: 'boolean', description: 'Whether the time was over before.', example: false },
  changes: { type: unblockingChange, list: true, description: 'Those that unblock any, most first.' },
});

export const queueDecision = object('QueueDecision', 'What became of a pod.', {
  ...refusalTexts.members,
  position: { type: 'integer', description: 'Its place among the decisions, from 0.', example: 0 },
  id: { type: 'string', optional: true, description: 'Your name for it; null for stored pods.', example: 'web' },
  workload: { type: workloadName, description: 'Who makes it.' },
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: {
    type: 'string',
    description: 'Its name; a replica that is not stored has a number behind.',
    example: 'web-0',
  },
  priority: { type: 'integer', description: 'Its priority.', example: 0 },
  outcome: { type: OUTCOME, description: 'What became of it.', example: 'unplaced' },
  pods: {
    type: 'integer',
    description: 'More than 1: replicas in a row that nothing can tell apart; the name is that of the first.',
    example: 1,
  },
  node: { type: 'string', optional: true, description: 'Its node.', example: null },
  feasible: { type: 'integer', optional: true, description: 'Nodes that could take it.', example: null },
  tied: {
    type: 'integer',
    optional: true,
    description: 'Nodes with the greatest total; the scheduler draws lots among them.',
    example: null,
  },
  total: { type: 'integer', optional: true, description: 'The greatest total; null where none was scored.' },
  uncertain: {
    type: 'string',
    list: true,
    description: 'Scores that are not known, so that another node may be better.',
    example: [],
  },
});

const { position, id, priority, pods, reasons, ...OF_DECISION } = without(
  queueDecision.members,
  'namespace',
  'name',
  'workload',
);

const GROUPED_AMOUNT = { optional: true, description: 'Null where it differs: `columns` has it.' } as const;

export const groupedTaint = object('GroupedTaint', 'A taint that pods of a group do not tolerate.', {
  ...unplacedTaint.members,
  nodes: { ...unplacedTaint.members.nodes, ...GROUPED_AMOUNT },
});

export const groupedReason = object('GroupedReason', 'A reason that pods of a group have in common.', {
  ...unplacedReason.members,
  nodes: { ...unplacedReason.members.nodes, ...GROUPED_AMOUNT },
  first: { ...unplacedReason.members.first, ...GROUPED_AMOUNT },
  taints: { ...unplacedReason.members.taints, type: groupedTaint },
});

export const queueGroup = object(
  'QueueGroup',
  'Pods of which the same became, for the same reasons. Amounts and nodes in which they differ are null here, and stand in columns.',
  {
    ...POD_GROUP,
    ...OF_DECISION,
    reasons: { ...reasons, type: groupedReason },
    id,
    position: { ...position, optional: true },
    priority: { ...priority, optional: true },
    pods: { ...pods, optional: true },
  },
);

export const QUEUE_HEAD = {
  schedulerName: { type: 'string', description: 'Whose pods.', example: 'default-scheduler' },
  outcome: { type: COMPLETENESS, description: 'Whether every pod had its turn.', example: 'complete' },
  waiting: { type: 'integer', description: 'Pods in the queue.', example: 4 },
  totals: { type: queueTotals, description: 'What became of them.' },
  ofOtherSchedulers: { type: 'integer', description: 'Stored pods that wait for another scheduler.', example: 0 },
  refused: { type: queueRefusal, list: true, description: 'Pods that admission does not let in.', example: [] },
  queueReasons: { type: queueReason, list: true, description: 'Why pods found no node, most pods first.' },
  taints: {
    type: queueTaint,
    list: true,
    description: 'Taints that they do not tolerate, most pods first.',
    example: [],
  },
  workloads: {
    type: queueWorkload,
    list: true,
    description: 'By workload, those with most pods on no node first; at most 100.',
  },
  workloadCount: { type: 'integer', description: 'Workloads in all.', example: 1 },
  unblocking: { type: unblocking, optional: true, description: 'Changes that help; null unless asked for.' },
  isListed: {
    type: 'boolean',
    description: 'Whether every decision is in the list; of very many the first 100,000 are, and all are counted.',
    example: true,
  },
} as const;
