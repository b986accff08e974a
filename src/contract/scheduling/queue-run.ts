import { FIELD_VALIDATION, POD_SUBJECT } from '../common/pod-subject.js';
import { nodeDevice } from '../common/node-device.js';
import { deviceTolerationAdded } from '../placements/fix.js';
import { REASON_CODE } from '../placements/reason.js';
import { object, enumType } from '../schema.js';
import { workloadName } from '../common/workload-name.js';
import { quotaRaise } from '../quotas/quota-review.js';
import { without } from '../../core/collections/without.js';
import { POD_GROUP } from '../common/group.js';
import { refusalTexts, unplacedReason, unplacedTaint } from '../common/refusal.js';
import {
  DEFAULT_CHANGES_TRIED,
  DEFAULT_TIME_BUDGET_MS,
  MAX_TIME_BUDGET_MS,
  MAX_CHANGES_TRIED,
  MAX_MANIFESTS,
  MAX_REPLICAS_IN_REQUEST,
} from '../limits.js';
import { ADMISSION } from '../common/admission-mode.js';
import { GROUP_SOURCES, GROUP_TREATMENTS } from '../../core/placement/pod-groups.js';
import { WORKLOAD_KINDS } from '../../core/kubernetes/pod-template.js';

export const OUTCOME = enumType(
  'QueueOutcome',
  '`placed`: on a node. `unplaced`: no node is found. `unknown`: no node is known to be feasible, but some may be, and the pod uses no resources in the run. `gated`: the pod has scheduling gates, its ResourceClaims are not there, or its group lacks pods or its PodGroup. `error`: the scheduler fails. `notTried`: the run ended before.',
  ['placed', 'unplaced', 'unknown', 'gated', 'error', 'notTried'],
);

export const COMPLETENESS = enumType('RunCompleteness', 'Whether every pod was tried, or the run ended before.', [
  'complete',
  'partial',
]);

export const CHANGE = enumType('UnblockingKind', 'A single change that may unblock pods.', [
  'RemoveTaint',
  'AddToleration',
  'AddDeviceToleration',
  'Uncordon',
  'AddNodes',
  'RaiseQuota',
]);

export const TIME_BUDGET = {
  type: 'integer',
  optional: true,
  minimum: 1,
  maximum: MAX_TIME_BUDGET_MS,
  defaultsTo: DEFAULT_TIME_BUDGET_MS,
  description: 'Time budget in milliseconds; if it runs out, the response is partial.',
  example: 5000,
} as const;

export const SCHEDULER_NAME = {
  type: 'string',
  optional: true,
  maximumLength: 253,
  defaultsTo: 'default-scheduler',
  description: 'Place pods with this `spec.schedulerName`.',
} as const;

export const CONFIGURATION = {
  type: 'kubernetesObject',
  sharedAs: 'SchedulerConfigurationToUse',
  optional: true,
  description:
    'A KubeSchedulerConfiguration (v1) or a legacy Policy to use instead of the stored configuration, with its profile for the scheduler name.',
} as const;

export const queuedPodsInput = object(
  'QueuedPodsInput',
  'Pods that join the queue.',
  {
    id: {
      type: 'identifier',
      maximumLength: 200,
      description: 'Your id for the pods; the response repeats it.',
      example: 'web',
    },
    pod: {
      type: 'kubernetesObject',
      manifest: true,
      description: `The manifest of a Pod, or of a workload: ${WORKLOAD_KINDS.filter((kind) => kind !== 'DaemonSet').join(', ')}.`,
      example: { metadata: { name: 'web' }, spec: { containers: [{ name: 'web' }] } },
    },
    replicas: {
      type: 'integer',
      optional: true,
      minimum: 0,
      maximum: MAX_REPLICAS_IN_REQUEST,
      description: 'Number of replicas. Default: as many as the manifest specifies.',
      example: 3,
    },
    namespace: {
      type: 'identifier',
      optional: true,
      description: 'The namespace. Default: that of the manifest, or `default`.',
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
    description: 'Whether the pending pods of the stored cluster are in the queue.',
  },
  pods: {
    type: queuedPodsInput,
    list: true,
    optional: true,
    maximumLength: MAX_MANIFESTS,
    description: `Additional pods to place: at most ${MAX_MANIFESTS} manifests and ${MAX_REPLICAS_IN_REQUEST} replicas.`,
  },
  unblocking: {
    type: 'boolean',
    optional: true,
    defaultsTo: false,
    description:
      'Look for single changes that would place more pods: removing a taint, adding a toleration of a node or device taint, uncordoning, adding nodes, raising a quota. The queue is run again for each.',
  },
  changesTried: {
    type: 'integer',
    optional: true,
    minimum: 1,
    maximum: MAX_CHANGES_TRIED,
    defaultsTo: DEFAULT_CHANGES_TRIED,
    description: 'Maximum number of changes to try, those that affect the most pods first.',
  },
  seed: {
    type: 'integer',
    optional: true,
    minimum: 0,
    maximum: 4_294_967_295,
    description:
      'Seed that draws among nodes with the same total, as the scheduler does, but reproducibly. Default: the first by name.',
  },
} as const;

/** The parameters of a queue run. */
export const queueRunInput = object(
  'QueueRunInput',
  'The pods in the queue, and how the queue is run.',
  {
    pending: QUESTION.pending,
    pods: QUESTION.pods,
    featureGates: POD_SUBJECT.featureGates,
    fieldValidation: FIELD_VALIDATION,
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

export const queueTotals = object('QueueTotals', 'Pods by outcome.', {
  placed: { type: 'integer', description: 'Number of placed pods.', example: 3 },
  unplaced: { type: 'integer', description: 'Number of unplaced pods.', example: 1 },
  unknown: { type: 'integer', description: 'Number of pods whose outcome is not known.', example: 0 },
  gated: { type: 'integer', description: 'Number of gated pods.', example: 0 },
  error: { type: 'integer', description: 'Number of pods with errors.', example: 0 },
  notTried: { type: 'integer', description: 'Number of pods that were not tried.', example: 0 },
});

export const queueWorkload = object('QueueWorkload', 'The outcomes for the pods of a workload.', {
  ...queueTotals.members,
  id: {
    type: 'identifier',
    optional: true,
    description: 'Your id for the pods; null for stored pods.',
    example: 'web',
  },
  workload: { type: workloadName, description: 'The workload.' },
});

export const queueRefusal = object('QueueRefusal', 'Pods that admission refuses, so that they are not in the queue.', {
  id: { type: 'identifier', description: 'Your id for the pods.', example: 'web' },
  by: { type: 'identifier', description: 'The admission plugin that refuses the pods.', example: 'ResourceQuota' },
  message: { type: 'string', description: 'The exact message.' },
  pods: { type: 'integer', description: 'Number of pods.', example: 1 },
  raises: { type: quotaRaise, list: true, description: 'Quota limits to raise, all of them together.' },
});

export const GROUP_SOURCE = enumType('PodGroupSource', 'What a group of pods belongs to.', GROUP_SOURCES);

export const GROUP_TREATMENT = enumType(
  'PodGroupTreatment',
  'Whether the pods of a group are placed together.',
  GROUP_TREATMENTS,
);

export const queuePodGroup = object('QueuePodGroup', 'Pods of the queue that belong together.', {
  source: { type: GROUP_SOURCE, description: GROUP_SOURCE.description, example: 'GangScheduling' },
  namespace: { type: 'identifier', description: 'The namespace.', example: 'default' },
  name: {
    type: 'identifier',
    description: 'The name of the group; of Kueue, of the queue without one.',
    example: 'training',
  },
  minimum: {
    type: 'integer',
    optional: true,
    description: 'Number of pods that are placed together, or none; null if it is not known.',
    example: 4,
  },
  treatment: { type: GROUP_TREATMENT, description: GROUP_TREATMENT.description, example: 'allOrNothing' },
  note: {
    type: 'string',
    description: 'Why, and what is not modelled.',
    example: 'at least 4 pods are placed, or none',
  },
  pods: { type: 'integer', description: 'Number of its pods in the queue.', example: 4 },
  bound: {
    type: 'integer',
    description: 'Number of its pods that are on nodes; 0 unless they are placed together.',
    example: 0,
  },
  placed: { type: 'integer', description: 'Number of its pods in the queue that are placed.', example: 4 },
});

export const queueReason = object(
  'QueueReason',
  'A reason, and the number of unplaced pods that have it on at least one node.',
  {
    plugin: { type: 'identifier', description: 'The filter.', example: 'NodeResourcesFit' },
    code: { type: REASON_CODE, description: REASON_CODE.description, example: 'InsufficientResource' },
    message: { type: 'string', description: 'The Kubernetes message.', example: 'Insufficient cpu' },
    pods: { type: 'integer', description: 'Number of unplaced pods.', example: 1 },
  },
);

export const queueTaint = object('QueueTaint', 'A taint, and the number of unplaced pods that do not tolerate it.', {
  taint: { type: 'string', description: 'The taint.', example: 'dedicated=ml:NoSchedule' },
  pods: { type: 'integer', description: 'Number of unplaced pods.', example: 1 },
});

export const unblockingChange = object('UnblockingChange', 'A single change, and its effect on the queue.', {
  kind: { type: CHANGE, description: CHANGE.description, example: 'AddNodes' },
  summary: { type: 'string', description: 'Short description.', example: 'add 1 node like node-1' },
  unblocks: { type: 'integer', description: 'Number of pods that find a node only after the change.', example: 1 },
  blocks: { type: 'integer', description: 'Number of pods that find a node only without the change.', example: 0 },
  taint: { type: 'string', optional: true, description: 'For a taint or a toleration: the taint.', example: null },
  workload: { type: workloadName, optional: true, description: 'Workload whose pods change or are added.' },
  like: {
    type: 'identifier',
    optional: true,
    description: 'For new nodes: the node that they copy.',
    example: 'node-1',
  },
  nodes: { type: 'integer', optional: true, description: 'Number of nodes that change or are added.', example: 1 },
  deviceTolerations: {
    type: deviceTolerationAdded,
    list: true,
    description:
      'For `AddDeviceToleration`: the tolerations of requests for devices. The claim or template has to be created anew.',
    example: [],
  },
});

export const unblocking = object('Unblocking', 'Single changes that would place more pods.', {
  tried: { type: 'integer', description: 'Number of changes tried.', example: 1 },
  candidates: { type: 'integer', description: 'Number of changes of nodes and pods available to try.', example: 1 },
  isPartial: { type: 'boolean', description: 'Whether the time budget ran out before all were tried.', example: false },
  changes: {
    type: unblockingChange,
    list: true,
    description: 'Changes that unblock pods, those that unblock the most first.',
  },
});

export const queueDecision = object('QueueDecision', 'The outcome for a pod.', {
  ...refusalTexts.members,
  position: { type: 'integer', description: 'Position among the decisions, from 0.', example: 0 },
  id: { type: 'identifier', optional: true, description: 'Your id for the pod; null for stored pods.', example: 'web' },
  workload: { type: workloadName, description: 'Workload that creates the pod.' },
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
  name: {
    type: 'identifier',
    description: 'Pod name; a replica that is not stored has a number as suffix.',
    example: 'web-0',
  },
  priority: { type: 'integer', description: 'Pod priority.', example: 0 },
  outcome: { type: OUTCOME, description: OUTCOME.description, example: 'unplaced' },
  pods: {
    type: 'integer',
    description: 'Number of pods; if above 1, identical consecutive replicas, and `name` is the first.',
    example: 1,
  },
  node: { type: 'identifier', optional: true, description: 'Node of the pod; null if it has none.', example: null },
  feasible: { type: 'integer', optional: true, description: 'Number of nodes that can take the pod.', example: null },
  tied: {
    type: 'integer',
    optional: true,
    description: 'Number of nodes tied for the greatest total; the scheduler picks one at random.',
    example: null,
  },
  total: { type: 'integer', optional: true, description: 'The greatest total; null if no node was scored.' },
  uncertain: {
    type: 'identifier',
    list: true,
    description:
      'Plugins with unknown results, so that the scheduler may choose another node; of an `unknown` pod, those that may refuse it.',
    example: [],
  },
  devices: {
    type: nodeDevice,
    list: true,
    description: 'The devices that the claims of a placed pod get; not those of claims that are allocated already.',
    example: [],
  },
});

const { position, id, priority, pods, reasons, devices, ...OF_DECISION } = without(
  queueDecision.members,
  'namespace',
  'name',
  'workload',
);

const GROUPED_AMOUNT = { optional: true, description: 'Null if it differs; `columns` then has the values.' } as const;

export const groupedTaint = object('GroupedTaint', 'A taint that the pods of a group do not tolerate.', {
  ...unplacedTaint.members,
  nodes: { ...unplacedTaint.members.nodes, ...GROUPED_AMOUNT },
});

export const groupedReason = object('GroupedReason', 'A reason that the pods of a group have in common.', {
  ...unplacedReason.members,
  nodes: { ...unplacedReason.members.nodes, ...GROUPED_AMOUNT },
  first: { ...unplacedReason.members.first, ...GROUPED_AMOUNT },
  taints: { ...unplacedReason.members.taints, type: groupedTaint },
});

export const groupedDevice = object('GroupedDevice', 'A device that the claims of the pods of a group get.', {
  ...nodeDevice.members,
  claim: { ...nodeDevice.members.claim, ...GROUPED_AMOUNT },
  device: { ...nodeDevice.members.device, ...GROUPED_AMOUNT },
});

export const queueGroup = object(
  'QueueGroup',
  'Pods with the same outcome, for the same reasons. Amounts and nodes that differ are null and listed in `columns`.',
  {
    ...POD_GROUP,
    ...OF_DECISION,
    reasons: { ...reasons, type: groupedReason },
    devices: { ...devices, type: groupedDevice },
    id,
    position: { ...position, optional: true },
    priority: { ...priority, optional: true },
    pods: { ...pods, optional: true },
  },
);

export const QUEUE_HEAD = {
  schedulerName: { type: 'identifier', description: 'Scheduler whose pods are placed.', example: 'default-scheduler' },
  outcome: { type: COMPLETENESS, description: COMPLETENESS.description, example: 'complete' },
  waiting: { type: 'integer', description: 'Number of pods in the queue.', example: 4 },
  totals: { type: queueTotals, description: 'Pods by outcome.' },
  ofOtherSchedulers: {
    type: 'integer',
    description: 'Number of stored pods that wait for another scheduler.',
    example: 0,
  },
  refused: { type: queueRefusal, list: true, description: 'Pods that admission refuses.', example: [] },
  queueReasons: { type: queueReason, list: true, description: 'Why no node is found for pods, most pods first.' },
  taints: {
    type: queueTaint,
    list: true,
    description: 'Taints that unplaced pods do not tolerate, most pods first.',
    example: [],
  },
  podGroups: {
    type: queuePodGroup,
    list: true,
    description:
      'The groups of the pods: gangs of Kubernetes, of the coscheduling plugin and of Kueue, at most 1,000, in the order in which they come up.',
    example: [],
  },
  workloads: {
    type: queueWorkload,
    list: true,
    description: 'Outcomes by workload, those with the most unplaced pods first; at most 100.',
  },
  workloadCount: { type: 'integer', description: 'Number of all workloads.', example: 1 },
  unblocking: {
    type: unblocking,
    optional: true,
    description: 'Changes that would place more pods; null unless requested.',
  },
  isListed: {
    type: 'boolean',
    description: 'Whether every decision is listed; only the first 100,000 are, but all are counted.',
    example: true,
  },
} as const;
