import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';

/** An example of a budget in words. */
export const BUDGET_TEXT =
  'maxUnavailable 0 of 5 expected pods (Deployment web wants 5), so 5 must be healthy; 5 are healthy; no disruption is allowed';

export const OUTCOME = enumType('BudgetOutcome', 'What a sync of the disruption controller leads to.', [
  'synced',
  'failed',
  'unknown',
]);

export const FIELD = enumType('BudgetField', 'A part of the status of a PodDisruptionBudget.', [
  'currentHealthy',
  'desiredHealthy',
  'expectedPods',
  'disruptionsAllowed',
  'observedGeneration',
  'disruptedPods',
  'condition',
]);

export const RULE = enumType('BudgetRule', 'Which field of a PodDisruptionBudget counts.', [
  'minAvailable',
  'maxUnavailable',
  'none',
]);

export const EXPECTED_FROM = enumType('ExpectedPodsSource', 'Where the number of expected pods comes from.', [
  'controllers',
  'pods',
  'nothing',
]);

export const budgetCondition = object('BudgetCondition', 'The condition DisruptionAllowed.', {
  status: { type: 'string', description: 'True or False.', example: 'False' },
  reason: {
    type: 'string',
    description: 'SufficientPods, InsufficientPods or SyncFailed.',
    example: 'InsufficientPods',
  },
  message: { type: 'string', description: 'Why a sync failed.', example: '' },
});

export const budgetStatus = object('BudgetStatus', 'The status of a PodDisruptionBudget.', {
  expectedPods: { type: 'integer', description: 'How many pods there should be.', example: 5 },
  desiredHealthy: { type: 'integer', description: 'How many of them must be healthy.', example: 5 },
  currentHealthy: { type: 'integer', description: 'How many are.', example: 5 },
  disruptionsAllowed: { type: 'integer', description: 'How many more may be evicted.', example: 0 },
  observedGeneration: {
    type: 'int64',
    description: 'The generation of the budget that the controller has seen.',
    example: 1,
  },
  disruptedPods: {
    type: 'string',
    list: true,
    description: 'Pods whose eviction was granted less than two minutes ago; the first hundred.',
    example: [],
  },
  condition: {
    type: budgetCondition,
    optional: true,
    description: 'The condition; null where there is none.',
    example: exampleOf(budgetCondition),
  },
});

export const budgetPods = object('BudgetPods', 'The pods that a PodDisruptionBudget selects, counted.', {
  selected: { type: 'integer', description: 'All of them, finished and terminating ones included.', example: 5 },
  healthy: { type: 'integer', description: 'Ready, not terminating, not about to be evicted.', example: 5 },
  notReady: { type: 'integer', description: 'Not ready.', example: 0 },
  terminating: { type: 'integer', description: 'Being deleted.', example: 0 },
  evicting: {
    type: 'integer',
    description: 'Ready, and their eviction was granted less than two minutes ago.',
    example: 0,
  },
  unmanaged: { type: 'integer', description: 'Without a controller.', example: 0 },
});

export const budgetController = object('BudgetController', 'A controller whose replicas are expected.', {
  kind: { type: 'string', description: 'Its kind.', example: 'Deployment' },
  name: { type: 'string', description: 'Its name.', example: 'web' },
  replicas: { type: 'integer', description: 'How many pods it wants.', example: 5 },
});

export const budgetArithmetic = object('BudgetArithmetic', 'How the numbers of a PodDisruptionBudget come about.', {
  rule: {
    type: RULE,
    description: 'Which field counts: maxUnavailable, where both are given.',
    example: 'maxUnavailable',
  },
  value: { type: 'string', optional: true, description: 'As it is written.', example: '0' },
  expectedPods: { type: 'integer', description: 'The pods that it is worked out for.', example: 5 },
  expectedFrom: {
    type: EXPECTED_FROM,
    description: "The replicas of the pods' controllers, or, for a minAvailable that is a number, the pods themselves.",
    example: 'controllers',
  },
  controllers: { type: budgetController, list: true, description: 'Those controllers; the first hundred.' },
  pods: {
    type: 'integer',
    optional: true,
    description: 'What the value comes to in pods; percentages round up.',
    example: 0,
  },
  desiredHealthy: { type: 'integer', description: 'How many must be healthy.', example: 5 },
  currentHealthy: { type: 'integer', description: 'How many are.', example: 5 },
  disruptionsAllowed: { type: 'integer', description: 'The difference, if it is positive.', example: 0 },
});

export const disruptionBudget = object(
  'DisruptionBudget',
  'A PodDisruptionBudget as it is stored, and as the disruption controller would have it now.',
  {
    namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
    name: { type: 'string', description: 'Its name.', example: 'web' },
    minAvailable: { type: 'string', optional: true, description: 'As it is written.' },
    maxUnavailable: { type: 'string', optional: true, description: 'As it is written.', example: '0' },
    unhealthyPodEvictionPolicy: {
      type: 'string',
      description: 'What it says of pods that are not ready.',
      example: 'IfHealthyBudget',
    },
    outcome: { type: OUTCOME, description: 'What a sync leads to now.', example: 'synced' },
    why: { type: 'string', optional: true, description: 'Why the sync fails, or what is not known.' },
    computed: {
      type: budgetStatus,
      optional: true,
      description: 'After a sync now; null where it is not known.',
      example: exampleOf(budgetStatus),
    },
    stored: {
      type: budgetStatus,
      optional: true,
      description: 'As it is stored; null where there is none.',
      example: exampleOf(budgetStatus),
    },
    differs: { type: FIELD, list: true, description: 'In what the two differ.', example: [] },
    events: { type: 'string', list: true, description: 'Reasons of the events that the sync records.', example: [] },
    pods: { type: budgetPods, description: 'Its pods.' },
    arithmetic: {
      type: budgetArithmetic,
      optional: true,
      description: 'The numbers; null where there are none.',
      example: exampleOf(budgetArithmetic),
    },
    text: {
      type: 'string',
      description: 'The numbers in words, or why there are none.',
      example: BUDGET_TEXT,
    },
  },
);
