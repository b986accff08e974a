import { defined } from '../../core/collections/defined.js';
import { InputType, ObjectType } from '@nestjs/graphql';
import { WORKLOAD_KINDS } from '../../core/admission/read-pod-manifest.js';
import type { JsonObject } from '../../core/json/json-value.js';
import type { AdmissionMode } from '../../app/placements/placement-request.js';
import { MOST_GIVEN, MOST_REPLICAS_GIVEN } from '../../app/scheduling/given-work.js';
import {
  DEFAULT_CHANGES_TRIED,
  DEFAULT_TIME_BUDGET_MS,
  GREATEST_TIME_BUDGET_MS,
  MOST_CHANGES_TRIED,
  type QueueQuestion,
} from '../../app/scheduling/run-queue.js';
import { ADMISSION } from './admission-mode.js';
import type { Plain } from './plain.js';
import { Given, Shown } from './property.js';
import { wordsType } from './property-type.js';
import { QuotaRaiseShape } from './quota-review-shape.js';
import { RefusalTextsShape } from './refusal-shape.js';
import { WorkloadNameShape } from './workload-name-shape.js';

const OUTCOME = wordsType(
  'QueueOutcome',
  'On a node; on none; kept out by its gates; failed; not tried, since the run stopped before.',
  ['placed', 'unplaced', 'gated', 'error', 'notTried'],
);

const COMPLETENESS = wordsType('RunCompleteness', 'Whether every pod had its turn, or the time was over before.', [
  'complete',
  'partial',
]);

const CHANGE = wordsType('UnblockingKind', 'A single change that may let pods go.', [
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
  optional: true,
  description:
    "A KubeSchedulerConfiguration (v1), or a legacy Policy, that decides in the place of the cluster's; its profile of the scheduler's name.",
} as const;

@InputType('QueuedPodsInput')
export class QueuedPodsBody {
  @Given({
    type: 'string',
    maximumLength: 200,
    description: 'Your name for them; the answer repeats it.',
    example: 'web',
  })
  id!: string;

  @Given({
    type: 'kubernetesObject',
    description: `The manifest of a Pod, or of a workload: ${WORKLOAD_KINDS.filter((kind) => kind !== 'DaemonSet').join(', ')}.`,
    example: { metadata: { name: 'web' }, spec: { containers: [{ name: 'web' }] } },
  })
  pod!: JsonObject;

  @Given({
    type: 'integer',
    optional: true,
    minimum: 0,
    maximum: MOST_REPLICAS_GIVEN,
    description: 'How many like it; as many as the manifest says unless told.',
    example: 3,
  })
  replicas?: number;

  @Given({
    type: 'string',
    optional: true,
    description: 'Where it is sent; its own namespace, or `default`, unless told.',
    example: 'default',
  })
  namespace?: string;
}

const QUESTION = {
  pending: {
    type: 'boolean',
    optional: true,
    defaultsTo: true,
    description: 'Whether the pods that wait in the stored cluster are in the queue.',
  },
  pods: {
    type: () => QueuedPodsBody,
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
      'Draws lots among nodes with the same total, as the scheduler does, the same ones each time; the first by name is taken unless told.',
  },
} as const;

/** The question, to be extended by both transports. */
@InputType('QueueRunInput')
export class QueueRunBody {
  @Given(QUESTION.pending)
  pending?: boolean;

  @Given(QUESTION.pods)
  pods?: QueuedPodsBody[];

  @Given(ADMISSION)
  admission?: AdmissionMode;

  @Given(SCHEDULER_NAME)
  schedulerName?: string;

  @Given(CONFIGURATION)
  configuration?: JsonObject;

  @Given(TIME_BUDGET)
  timeBudgetMs?: number;

  @Given(QUESTION.unblocking)
  unblocking?: boolean;

  @Given(QUESTION.changesTried)
  changesTried?: number;

  @Given(QUESTION.seed)
  seed?: number;
}

export function queueQuestionOf(body: QueueRunBody): QueueQuestion {
  const { pending, pods, admission, schedulerName, configuration, timeBudgetMs, unblocking, changesTried, seed } = body;
  return {
    ...defined({ pending }),
    ...(pods === undefined
      ? {}
      : { pods: pods.map(({ id, pod, replicas, namespace }) => ({ id, pod, replicas, namespace })) }),
    ...defined({ admission, schedulerName, configuration, timeBudgetMs, unblocking, changesTried, seed }),
  };
}

@ObjectType('QueueTotals', { description: 'Pods by what became of them.' })
export class QueueTotalsShape {
  @Shown({ type: 'integer', description: 'On a node.', example: 3 })
  placed!: number;

  @Shown({ type: 'integer', description: 'On none.', example: 1 })
  unplaced!: number;

  @Shown({ type: 'integer', description: 'Kept out by their gates.', example: 0 })
  gated!: number;

  @Shown({ type: 'integer', description: 'Failed.', example: 0 })
  error!: number;

  @Shown({ type: 'integer', description: 'Not tried: the run stopped before.', example: 0 })
  notTried!: number;
}

@ObjectType('QueueWorkload', { description: 'What became of the pods of a workload.' })
export class QueueWorkloadShape extends QueueTotalsShape {
  @Shown({ type: 'string', optional: true, description: 'Your name for them; null for stored pods.', example: 'web' })
  id!: string | null;

  @Shown({ type: () => WorkloadNameShape, description: 'The workload.' })
  workload!: Plain<WorkloadNameShape>;
}

@ObjectType('QueueRefusal', { description: 'Pods that admission does not let in, so that they are not in the queue.' })
export class QueueRefusalShape {
  @Shown({ type: 'string', description: 'Your name for them.', example: 'web' })
  id!: string;

  @Shown({ type: 'string', description: 'The plugin that refuses.', example: 'ResourceQuota' })
  by!: string;

  @Shown({ type: 'string', description: 'The message, to the letter.' })
  message!: string;

  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  pods!: number;

  @Shown({ type: () => QuotaRaiseShape, list: true, description: 'Numbers of quotas to raise, all of them together.' })
  raises!: readonly Plain<QuotaRaiseShape>[];
}

@ObjectType('QueueReason', { description: 'A reason, and how many of the pods on no node have it on some node.' })
export class QueueReasonShape {
  @Shown({ type: 'string', description: 'The filter.', example: 'NodeResourcesFit' })
  plugin!: string;

  @Shown({ type: 'string', description: 'Stable, for programs.', example: 'InsufficientResource' })
  code!: string;

  @Shown({ type: 'string', description: "Kubernetes' own words.", example: 'Insufficient cpu' })
  message!: string;

  @Shown({ type: 'integer', description: 'Pods.', example: 1 })
  pods!: number;
}

@ObjectType('QueueTaint', { description: 'A taint, and how many of the pods on no node do not tolerate it.' })
export class QueueTaintShape {
  @Shown({ type: 'string', description: 'The taint.', example: 'dedicated=ml:NoSchedule' })
  taint!: string;

  @Shown({ type: 'integer', description: 'Pods.', example: 1 })
  pods!: number;
}

@ObjectType('UnblockingChange', { description: 'A single change, and what the queue comes to after it.' })
export class UnblockingChangeShape {
  @Shown({ type: CHANGE, description: 'What changes.', example: 'AddNodes' })
  kind!: string;

  @Shown({ type: 'string', description: 'The same in words.', example: 'add 1 node like node-1' })
  summary!: string;

  @Shown({ type: 'integer', description: 'Pods that find a node after it and found none before.', example: 1 })
  unblocks!: number;

  @Shown({ type: 'integer', description: 'Pods that found one before and find none after.', example: 0 })
  blocks!: number;

  @Shown({ type: 'string', optional: true, description: 'Of taints and tolerations: the taint.', example: null })
  taint!: string | null;

  @Shown({ type: () => WorkloadNameShape, optional: true, description: 'Whose pods change or come.' })
  workload!: Plain<WorkloadNameShape> | null;

  @Shown({ type: 'string', optional: true, description: 'Of new nodes: which they are like.', example: 'node-1' })
  like!: string | null;

  @Shown({ type: 'integer', optional: true, description: 'Nodes that change or come.', example: 1 })
  nodes!: number | null;
}

@ObjectType('Unblocking', { description: 'Single changes that let more pods go.' })
export class UnblockingShape {
  @Shown({ type: 'integer', description: 'Changes that were tried.', example: 1 })
  tried!: number;

  @Shown({ type: 'integer', description: 'Changes of nodes and pods that there were to try.', example: 1 })
  candidates!: number;

  @Shown({ type: 'boolean', description: 'Whether the time was over before.', example: false })
  isPartial!: boolean;

  @Shown({ type: () => UnblockingChangeShape, list: true, description: 'Those that unblock any, most first.' })
  changes!: readonly Plain<UnblockingChangeShape>[];
}

@ObjectType('QueueDecision', { description: 'What became of a pod.' })
export class QueueDecisionShape extends RefusalTextsShape {
  @Shown({ type: 'integer', description: 'Its place among the decisions, from 0.', example: 0 })
  position!: number;

  @Shown({ type: 'string', optional: true, description: 'Your name for it; null for stored pods.', example: 'web' })
  id!: string | null;

  @Shown({ type: () => WorkloadNameShape, description: 'Who makes it.' })
  workload!: Plain<WorkloadNameShape>;

  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({
    type: 'string',
    description: 'Its name; a replica that is not stored has a number behind.',
    example: 'web-0',
  })
  name!: string;

  @Shown({ type: 'integer', description: 'Its priority.', example: 0 })
  priority!: number;

  @Shown({ type: OUTCOME, description: 'What became of it.', example: 'placed' })
  outcome!: string;

  @Shown({
    type: 'integer',
    description: 'More than 1: replicas in a row that nothing can tell apart; the name is that of the first.',
    example: 1,
  })
  pods!: number;

  @Shown({ type: 'string', optional: true, description: 'Its node.', example: 'node-1' })
  node!: string | null;

  @Shown({ type: 'integer', optional: true, description: 'Nodes that could take it.', example: 1 })
  feasible!: number | null;

  @Shown({
    type: 'integer',
    optional: true,
    description: 'Nodes with the greatest total; the scheduler draws lots among them.',
    example: 1,
  })
  tied!: number | null;

  @Shown({ type: 'integer', optional: true, description: 'The greatest total; null where none was scored.' })
  total!: number | null;

  @Shown({ type: 'string', list: true, description: 'Scores that are not known, so that another node may be better.' })
  uncertain!: readonly string[];
}

export const QUEUE_HEAD = {
  schedulerName: { type: 'string', description: 'Whose pods.', example: 'default-scheduler' },
  outcome: { type: COMPLETENESS, description: 'Whether every pod had its turn.', example: 'complete' },
  waiting: { type: 'integer', description: 'Pods in the queue.', example: 4 },
  totals: { type: () => QueueTotalsShape, description: 'What became of them.' },
  ofOtherSchedulers: { type: 'integer', description: 'Stored pods that wait for another scheduler.', example: 0 },
  refused: { type: () => QueueRefusalShape, list: true, description: 'Pods that admission does not let in.' },
  queueReasons: { type: () => QueueReasonShape, list: true, description: 'Why pods found no node, most pods first.' },
  taints: {
    type: () => QueueTaintShape,
    list: true,
    description: 'Taints that they do not tolerate, most pods first.',
  },
  workloads: {
    type: () => QueueWorkloadShape,
    list: true,
    description: 'By workload, those with most pods on no node first; at most 100.',
  },
  workloadCount: { type: 'integer', description: 'Workloads in all.', example: 1 },
  unblocking: { type: () => UnblockingShape, optional: true, description: 'Changes that help; null unless asked for.' },
  isListed: {
    type: 'boolean',
    description: 'Whether every decision is in the list; of very many the first 100,000 are, and all are counted.',
    example: true,
  },
} as const;

export { COMPLETENESS };
