import { ObjectType } from '@nestjs/graphql';
import type { Listed } from '../../core/collections/first-few.js';
import { BasisShape } from './basis-shape.js';
import { DisruptionBudgetShape } from './disruption-budget-shape.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';
import { wordsType } from './property-type.js';
import { TaintShape } from './taint-shape.js';
import { WorkloadNameShape } from './workload-name-shape.js';

const REASON = wordsType('DrainReason', "Kubectl's word about a pod.", ['Okay', 'Skip', 'Warning', 'Error']);

const CHECK = wordsType('DrainCheck', 'The check of kubectl drain that decides about a pod.', [
  'deleted',
  'daemonSet',
  'mirrorPod',
  'localStorage',
  'unreplicated',
]);

const EVICTION_WHY = wordsType('EvictionWhy', 'Why the Eviction API lets a pod go, or does not.', [
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

const BASED_ON = wordsType('EvictionBasis', 'Which status of the budget an answer rests on.', ['computed', 'stored']);

const NO_EXECUTE = wordsType('NoExecuteAction', 'What NoExecute taints do to a pod.', ['now', 'after', 'never']);

const DIFFERENCE = wordsType('DrainDifference', 'In what a drain and NoExecute differ for a pod.', [
  'daemonSetPodStays',
  'budgetNotAsked',
  'refusedByKubectl',
  'mirrorPod',
  'tolerated',
  'later',
  'notSelected',
  'skippedAsDeleted',
]);

const POD_OUTCOME = wordsType('RollingPodOutcome', 'What becomes of a pod in a rolling drain.', [
  'evicted',
  'blocked',
  'timedOut',
  'failed',
  'notReached',
  'unknown',
]);

const NODE_OUTCOME = wordsType('NodeDrainOutcome', 'What becomes of a node in a rolling drain.', [
  'drained',
  'refused',
  'blocked',
  'timedOut',
  'failed',
  'stuck',
  'unknown',
  'notReached',
]);

const BLOCK_REASON = wordsType('BlockReason', 'Why a budget holds pods up.', [
  'neverAllows',
  'notEnoughHealthy',
  'syncFails',
  'unknown',
]);

@ObjectType('DrainDecision', { description: 'What kubectl drain decides about a pod.' })
export class DrainDecisionShape {
  @Shown({ type: 'boolean', description: 'Whether it goes.', example: true })
  delete!: boolean;

  @Shown({ type: REASON, description: "Kubectl's word; an Error stops the drain.", example: 'Okay' })
  reason!: string;

  @Shown({ type: 'string', description: "Kubectl's message; empty for Okay and Skip.", example: '' })
  message!: string;

  @Shown({ type: CHECK, optional: true, description: 'The check that decides; null where every one lets it pass.' })
  check!: string | null;
}

@ObjectType('EvictionReview', {
  description: 'What the Eviction API would answer now, were the node drained alone; after the pods before it.',
})
export class EvictionReviewShape {
  @Shown({ type: 'boolean', optional: true, description: 'Null where it is not known.', example: false })
  allowed!: boolean | null;

  @Shown({
    type: EVICTION_WHY,
    optional: true,
    description: 'Why; null where it is not known.',
    example: 'noDisruptionLeft',
  })
  why!: string | null;

  @Shown({ type: 'integer', optional: true, description: 'The status code of a refusal.', example: 429 })
  code!: number | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'The message of a refusal.',
    example: "Cannot evict pod as it would violate the pod's disruption budget.",
  })
  message!: string | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'What the answer says of the budget; or what is not known.',
    example: 'The disruption budget web needs 5 healthy pods and has 5 currently',
  })
  cause!: string | null;

  @Shown({ type: 'integer', optional: true, description: 'After how many seconds to come again, where it says so.' })
  retryAfterSeconds!: number | null;

  @Shown({
    type: BASED_ON,
    optional: true,
    description:
      'On the status that the disruption controller would write, or on the stored one where that is not known.',
    example: 'computed',
  })
  basedOn!: string | null;
}

@ObjectType('NoExecuteOutcome', {
  description: 'What the taint, and the NoExecute taints that the node has, do to a pod once the controller sees them.',
})
export class NoExecuteOutcomeShape {
  @Shown({ type: NO_EXECUTE, description: 'At once, later, or never.', example: 'now' })
  action!: string;

  @Shown({ type: 'number', optional: true, description: 'For `after`: so many seconds later.' })
  afterSeconds!: number | null;

  @Shown({ type: 'time', optional: true, description: 'When, if the controller sees the taint now.' })
  at!: Date | null;

  @Shown({ type: () => TaintShape, description: 'The taint that decides.' })
  taint!: Plain<TaintShape>;

  @Shown({
    type: 'integer',
    optional: true,
    description: "The place in the pod's list of the toleration that decides, from 0; null where nothing tolerates it.",
  })
  toleration!: number | null;
}

@ObjectType('RollingPod', { description: 'What becomes of a pod in the rolling drain.' })
export class RollingPodShape {
  @Shown({ type: POD_OUTCOME, description: 'What.', example: 'evicted' })
  outcome!: string;

  @Shown({ type: 'time', optional: true, description: 'When it is let go.' })
  evictedAt!: Date | null;

  @Shown({ type: 'time', optional: true, description: 'When it is gone.' })
  goneAt!: Date | null;

  @Shown({
    type: 'integer',
    optional: true,
    description: 'How often kubectl asks; null for ever, or never.',
    example: 1,
  })
  tries!: number | null;

  @Shown({ type: 'integer', optional: true, description: 'In which round of its node it goes, from 1.', example: 1 })
  round!: number | null;
}

@ObjectType('DrainedPod', {
  description: 'A pod of a node that is drained: what the drain does, and what NoExecute does.',
})
export class DrainedPodShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web-0' })
  name!: string;

  @Shown({ type: 'string', description: 'Its node.', example: 'node-1' })
  node!: string;

  @Shown({ type: 'string', description: 'Its phase.', example: 'Running' })
  phase!: string;

  @Shown({ type: () => WorkloadNameShape, description: 'What it belongs to.' })
  workload!: Plain<WorkloadNameShape>;

  @Shown({ type: () => DrainDecisionShape, optional: true, description: 'Null where the pod is not selected.' })
  decision!: Plain<DrainDecisionShape> | null;

  @Shown({ type: 'string', list: true, description: 'The budgets that select it.', example: ['default/web'] })
  budgets!: readonly string[];

  @Shown({ type: () => EvictionReviewShape, optional: true, description: 'Null where no eviction is asked for.' })
  eviction!: Plain<EvictionReviewShape> | null;

  @Shown({ type: () => NoExecuteOutcomeShape, description: 'What NoExecute does to the same pod.' })
  noExecute!: Plain<NoExecuteOutcomeShape>;

  @Shown({ type: DIFFERENCE, optional: true, description: 'In what the two differ; null where they do the same.' })
  difference!: string | null;

  @Shown({ type: () => RollingPodShape, optional: true, description: 'Null where the drain leaves it.' })
  rolling!: Plain<RollingPodShape> | null;
}

@ObjectType('DrainedNodeCounts', { description: 'The pods of a node that is drained.' })
export class DrainedNodeCountsShape {
  @Shown({ type: 'integer', description: 'All.', example: 1 })
  pods!: number;

  @Shown({ type: 'integer', description: 'Selected.', example: 1 })
  selected!: number;

  @Shown({ type: 'integer', description: 'To go.', example: 1 })
  toDelete!: number;

  @Shown({ type: 'integer', description: 'Of those, so many would be refused now.', example: 1 })
  refusedNow!: number;

  @Shown({ type: 'integer', description: 'NoExecute takes at once.', example: 1 })
  now!: number;

  @Shown({ type: 'integer', description: 'NoExecute takes later.', example: 0 })
  after!: number;

  @Shown({ type: 'integer', description: 'NoExecute never takes.', example: 0 })
  never!: number;
}

@ObjectType('DrainedNode', { description: 'A node that is drained.' })
export class DrainedNodeShape {
  @Shown({ type: 'string', description: 'Its name.', example: 'node-1' })
  node!: string;

  @Shown({
    type: 'boolean',
    description: 'False where kubectl finds errors and touches no pod. The node is cordoned all the same.',
    example: true,
  })
  starts!: boolean;

  @Shown({ type: 'string', list: true, description: "Kubectl's warnings, one text a message.", example: [] })
  warnings!: readonly string[];

  @Shown({ type: 'string', list: true, description: "Kubectl's errors, one text a message.", example: [] })
  errors!: readonly string[];

  @Shown({ type: () => DrainedNodeCountsShape, description: 'Its pods.' })
  counts!: Plain<DrainedNodeCountsShape>;

  @Shown({
    type: 'boolean',
    description:
      'Whether its Ready condition is Unknown: then nobody ends its pods, unless it is marked out of service.',
    example: false,
  })
  kubeletSilent!: boolean;

  @Shown({ type: NODE_OUTCOME, description: 'What becomes of it.', example: 'blocked' })
  outcome!: string;

  @Shown({ type: 'time', optional: true, description: 'When its drain begins; null for never.' })
  startsAt!: Date | null;

  @Shown({ type: 'time', optional: true, description: 'When it is done; null for never, or where nobody knows.' })
  endsAt!: Date | null;

  @Shown({ type: 'integer', description: 'At how many moments pods are let go.', example: 0 })
  rounds!: number;
}

@ObjectType('BlockingBudget', { description: 'A budget for which evictions wait in vain.' })
export class BlockingBudgetShape {
  @Shown({ type: 'string', description: 'Its namespace and name.', example: 'default/web' })
  budget!: string;

  @Shown({ type: BLOCK_REASON, description: 'Why.', example: 'neverAllows' })
  why!: string;

  @Shown({ type: 'integer', description: 'How many pods it holds up.', example: 1 })
  pods!: number;

  @Shown({ type: 'integer', description: 'On how many nodes.', example: 1 })
  nodes!: number;

  @Shown({ type: 'string', description: 'Its numbers in words.' })
  text!: string;
}

@ObjectType('DrainDifferenceCount', { description: 'In what a drain and NoExecute differ, and for how many pods.' })
export class DrainDifferenceCountShape {
  @Shown({ type: DIFFERENCE, description: 'In what.', example: 'budgetNotAsked' })
  difference!: string;

  @Shown({ type: 'integer', description: 'For how many pods.', example: 1 })
  pods!: number;

  @Shown({ type: 'string', description: 'In words.' })
  text!: string;
}

@ObjectType('DrainedNodeList', { description: 'The nodes in the order in which they are drained.' })
export class DrainedNodeListShape {
  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  total!: number;

  @Shown({ type: () => DrainedNodeShape, list: true, description: 'The first 500.' })
  items!: readonly Plain<DrainedNodeShape>[];
}

@ObjectType('BlockingBudgetList', { description: 'Budgets for which evictions wait in vain, most pods first.' })
export class BlockingBudgetListShape {
  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  total!: number;

  @Shown({ type: () => BlockingBudgetShape, list: true, description: 'The first 100.' })
  items!: readonly Plain<BlockingBudgetShape>[];
}

@ObjectType('DrainBudgetList', { description: 'The budgets that have a say, those that block first.' })
export class DrainBudgetListShape {
  @Shown({ type: 'integer', description: 'How many.', example: 1 })
  total!: number;

  @Shown({ type: () => DisruptionBudgetShape, list: true, description: 'The first 100.' })
  items!: readonly Plain<DisruptionBudgetShape>[];
}

/** What an answer says before its pods. */
@ObjectType({ isAbstract: true })
export abstract class DrainHeadShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: () => TaintShape, description: 'The NoExecute taint that the drain is held against.' })
  taint!: Plain<TaintShape>;

  @Shown({ type: 'time', description: 'When the first node is drained: now.' })
  startsAt!: Date;

  @Shown({
    type: 'time',
    optional: true,
    description: 'When the last one is done; null for never, or where nobody knows.',
  })
  endsAt!: Date | null;

  @Shown({ type: 'number', optional: true, description: 'How many seconds lie between.' })
  lengthSeconds!: number | null;

  @Shown({ type: () => DrainedNodeListShape, description: 'The nodes.' })
  nodes!: Plain<Listed<DrainedNodeShape>>;

  @Shown({ type: () => BlockingBudgetListShape, description: 'Which budgets hold the drain up for ever.' })
  blocking!: Plain<Listed<BlockingBudgetShape>>;

  @Shown({ type: () => DrainBudgetListShape, description: 'The budgets of the pods that are evicted.' })
  budgets!: Plain<Listed<DisruptionBudgetShape>>;

  @Shown({
    type: () => DrainDifferenceCountShape,
    list: true,
    description: 'In what the two ways differ, most pods first.',
  })
  differences!: readonly Plain<DrainDifferenceCountShape>[];

  @Shown({ type: 'string', list: true, description: 'What the times rest on.' })
  assumptions!: readonly string[];
}
