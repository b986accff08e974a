import { ObjectType } from '@nestjs/graphql';
import type { BudgetField } from '../../core/disruption/budget-standing.js';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';
import { wordsType } from './property-type.js';

const OUTCOME = wordsType('BudgetOutcome', 'What a sync of the disruption controller leads to.', [
  'synced',
  'failed',
  'unknown',
]);

const FIELD = wordsType('BudgetField', 'A part of the status of a PodDisruptionBudget.', [
  'currentHealthy',
  'desiredHealthy',
  'expectedPods',
  'disruptionsAllowed',
  'observedGeneration',
  'disruptedPods',
  'condition',
]);

const RULE = wordsType('BudgetRule', 'Which field of a PodDisruptionBudget counts.', [
  'minAvailable',
  'maxUnavailable',
  'none',
]);

const EXPECTED_FROM = wordsType('ExpectedPodsSource', 'Where the number of expected pods comes from.', [
  'controllers',
  'pods',
  'nothing',
]);

@ObjectType('BudgetCondition', { description: 'The condition DisruptionAllowed.' })
export class BudgetConditionShape {
  @Shown({ type: 'string', description: 'True or False.', example: 'True' })
  status!: string;

  @Shown({ type: 'string', description: 'SufficientPods, InsufficientPods or SyncFailed.', example: 'SufficientPods' })
  reason!: string;

  @Shown({ type: 'string', description: 'Why a sync failed.', example: '' })
  message!: string;
}

@ObjectType('BudgetStatus', { description: 'The status of a PodDisruptionBudget.' })
export class BudgetStatusShape {
  @Shown({ type: 'integer', description: 'How many pods there should be.', example: 5 })
  expectedPods!: number;

  @Shown({ type: 'integer', description: 'How many of them must be healthy.', example: 4 })
  desiredHealthy!: number;

  @Shown({ type: 'integer', description: 'How many are.', example: 5 })
  currentHealthy!: number;

  @Shown({ type: 'integer', description: 'How many more may be evicted.', example: 1 })
  disruptionsAllowed!: number;

  @Shown({ type: 'int64', description: 'The generation of the budget that the controller has seen.', example: 1 })
  observedGeneration!: Int64;

  @Shown({
    type: 'string',
    list: true,
    description: 'Pods whose eviction was granted less than two minutes ago; the first hundred.',
    example: [],
  })
  disruptedPods!: readonly string[];

  @Shown({ type: () => BudgetConditionShape, optional: true, description: 'The condition; null where there is none.' })
  condition!: Plain<BudgetConditionShape> | null;
}

@ObjectType('BudgetPods', { description: 'The pods that a PodDisruptionBudget selects, counted.' })
export class BudgetPodsShape {
  @Shown({ type: 'integer', description: 'All of them, finished and terminating ones included.', example: 5 })
  selected!: number;

  @Shown({ type: 'integer', description: 'Ready, not terminating, not about to be evicted.', example: 5 })
  healthy!: number;

  @Shown({ type: 'integer', description: 'Not ready.', example: 0 })
  notReady!: number;

  @Shown({ type: 'integer', description: 'Being deleted.', example: 0 })
  terminating!: number;

  @Shown({
    type: 'integer',
    description: 'Ready, and their eviction was granted less than two minutes ago.',
    example: 0,
  })
  evicting!: number;

  @Shown({ type: 'integer', description: 'Without a controller.', example: 0 })
  unmanaged!: number;
}

@ObjectType('BudgetController', { description: 'A controller whose replicas are expected.' })
export class BudgetControllerShape {
  @Shown({ type: 'string', description: 'Its kind.', example: 'Deployment' })
  kind!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web' })
  name!: string;

  @Shown({ type: 'integer', description: 'How many pods it wants.', example: 5 })
  replicas!: number;
}

@ObjectType('BudgetArithmetic', { description: 'How the numbers of a PodDisruptionBudget come about.' })
export class BudgetArithmeticShape {
  @Shown({
    type: RULE,
    description: 'Which field counts: maxUnavailable, where both are given.',
    example: 'minAvailable',
  })
  rule!: string;

  @Shown({ type: 'string', optional: true, description: 'As it is written.', example: '80%' })
  value!: string | null;

  @Shown({ type: 'integer', description: 'The pods that it is worked out for.', example: 5 })
  expectedPods!: number;

  @Shown({
    type: EXPECTED_FROM,
    description: "The replicas of the pods' controllers, or, for a minAvailable that is a number, the pods themselves.",
    example: 'controllers',
  })
  expectedFrom!: string;

  @Shown({ type: () => BudgetControllerShape, list: true, description: 'Those controllers; the first hundred.' })
  controllers!: readonly Plain<BudgetControllerShape>[];

  @Shown({
    type: 'integer',
    optional: true,
    description: 'What the value comes to in pods; percentages round up.',
    example: 4,
  })
  pods!: number | null;

  @Shown({ type: 'integer', description: 'How many must be healthy.', example: 4 })
  desiredHealthy!: number;

  @Shown({ type: 'integer', description: 'How many are.', example: 5 })
  currentHealthy!: number;

  @Shown({ type: 'integer', description: 'The difference, if it is positive.', example: 1 })
  disruptionsAllowed!: number;
}

@ObjectType('DisruptionBudget', {
  description: 'A PodDisruptionBudget as it is stored, and as the disruption controller would have it now.',
})
export class DisruptionBudgetShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web' })
  name!: string;

  @Shown({ type: 'string', optional: true, description: 'As it is written.', example: '80%' })
  minAvailable!: string | null;

  @Shown({ type: 'string', optional: true, description: 'As it is written.' })
  maxUnavailable!: string | null;

  @Shown({ type: 'string', description: 'What it says of pods that are not ready.', example: 'IfHealthyBudget' })
  unhealthyPodEvictionPolicy!: string;

  @Shown({ type: OUTCOME, description: 'What a sync leads to now.', example: 'synced' })
  outcome!: string;

  @Shown({ type: 'string', optional: true, description: 'Why the sync fails, or what is not known.' })
  why!: string | null;

  @Shown({
    type: () => BudgetStatusShape,
    optional: true,
    description: 'After a sync now; null where it is not known.',
  })
  computed!: Plain<BudgetStatusShape> | null;

  @Shown({ type: () => BudgetStatusShape, optional: true, description: 'As it is stored; null where there is none.' })
  stored!: Plain<BudgetStatusShape> | null;

  @Shown({ type: FIELD, list: true, description: 'In what the two differ.', example: [] })
  differs!: readonly BudgetField[];

  @Shown({ type: 'string', list: true, description: 'Reasons of the events that the sync records.', example: [] })
  events!: readonly string[];

  @Shown({ type: () => BudgetPodsShape, description: 'Its pods.' })
  pods!: Plain<BudgetPodsShape>;

  @Shown({ type: () => BudgetArithmeticShape, optional: true, description: 'The numbers; null where there are none.' })
  arithmetic!: Plain<BudgetArithmeticShape> | null;

  @Shown({
    type: 'string',
    description: 'The numbers in words, or why there are none.',
    example:
      'minAvailable 70% of 5 expected pods (Deployment web wants 5) rounds up to 4; 5 are healthy; 1 disruption is allowed',
  })
  text!: string;
}
