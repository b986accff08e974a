import { exampleOf } from '../example-of.js';
import { object, enumType } from '../schema.js';

/** The example of a budget's calculation as text. */
export const BUDGET_TEXT =
  'maxUnavailable 0 of 5 expected pods (Deployment web wants 5), so 5 must be healthy; 5 are healthy; no disruption is allowed';

export const OUTCOME = enumType('BudgetOutcome', 'Result of a sync by the disruption controller.', [
  'synced',
  'failed',
  'unknown',
]);

export const FIELD = enumType('BudgetField', "A field of a PodDisruptionBudget's status.", [
  'currentHealthy',
  'desiredHealthy',
  'expectedPods',
  'disruptionsAllowed',
  'observedGeneration',
  'disruptedPods',
  'condition',
]);

export const RULE = enumType('BudgetRule', 'Which field of a PodDisruptionBudget applies.', [
  'minAvailable',
  'maxUnavailable',
  'none',
]);

export const EXPECTED_FROM = enumType('ExpectedPodsSource', 'Source of the number of expected pods.', [
  'controllers',
  'pods',
  'nothing',
]);

export const budgetCondition = object('BudgetCondition', 'The condition DisruptionAllowed.', {
  status: { type: 'identifier', description: 'True or False.', example: 'False' },
  reason: {
    type: 'identifier',
    description: 'SufficientPods, InsufficientPods or SyncFailed.',
    example: 'InsufficientPods',
  },
  message: { type: 'string', description: 'Error message of a failed sync.', example: '' },
});

export const budgetStatus = object('BudgetStatus', 'The status of a PodDisruptionBudget.', {
  expectedPods: { type: 'integer', description: 'Expected pods.', example: 5 },
  desiredHealthy: { type: 'integer', description: 'Pods that must be healthy.', example: 5 },
  currentHealthy: { type: 'integer', description: 'Healthy pods.', example: 5 },
  disruptionsAllowed: { type: 'integer', description: 'Pods that may be evicted now.', example: 0 },
  observedGeneration: {
    type: 'int64',
    description: 'Generation of the budget that the controller observed.',
    example: 1,
  },
  disruptedPods: {
    type: 'identifier',
    list: true,
    description: 'Pods whose eviction was granted, but whose deletion is not observed yet; the first 100.',
    example: [],
  },
  condition: {
    type: budgetCondition,
    optional: true,
    description: 'The condition; null if there is none.',
    example: exampleOf(budgetCondition),
  },
});

export const budgetPods = object('BudgetPods', 'Number of pods that a PodDisruptionBudget selects, by state.', {
  selected: { type: 'integer', description: 'All selected pods, including finished and terminating ones.', example: 5 },
  healthy: {
    type: 'integer',
    description: 'Ready, not terminating, not about to be evicted.',
    example: 5,
  },
  notReady: { type: 'integer', description: 'Not ready.', example: 0 },
  terminating: { type: 'integer', description: 'Being deleted.', example: 0 },
  evicting: {
    type: 'integer',
    description: 'Ready pods whose eviction was granted less than two minutes ago.',
    example: 0,
  },
  unmanaged: { type: 'integer', description: 'Pods without a controller.', example: 0 },
});

export const budgetController = object('BudgetController', 'A controller whose replicas count as expected pods.', {
  kind: { type: 'identifier', description: 'Kind of the controller.', example: 'Deployment' },
  name: { type: 'identifier', description: 'Controller name.', example: 'web' },
  replicas: { type: 'integer', description: 'Desired pods.', example: 5 },
});

export const budgetArithmetic = object('BudgetArithmetic', 'How the numbers of a PodDisruptionBudget are calculated.', {
  rule: {
    type: RULE,
    description: 'The field that applies; maxUnavailable if both are set.',
    example: 'maxUnavailable',
  },
  value: {
    type: 'identifier',
    optional: true,
    description: 'The value as specified, if set.',
    example: '0',
  },
  expectedPods: { type: 'integer', description: 'Pods that the value applies to.', example: 5 },
  expectedFrom: {
    type: EXPECTED_FROM,
    description:
      "Source of `expectedPods`: the controllers' replicas; if minAvailable is a number, the pods themselves; if neither field is set, nothing.",
    example: 'controllers',
  },
  controllers: { type: budgetController, list: true, description: 'The controllers; the first 100.' },
  pods: {
    type: 'integer',
    optional: true,
    description: 'The value as a number of pods; percentages are rounded up.',
    example: 0,
  },
  desiredHealthy: { type: 'integer', description: 'Pods that must be healthy.', example: 5 },
  currentHealthy: { type: 'integer', description: 'Healthy pods.', example: 5 },
  disruptionsAllowed: {
    type: 'integer',
    description: '`currentHealthy` minus `desiredHealthy`, at least 0.',
    example: 0,
  },
});

export const disruptionBudget = object(
  'DisruptionBudget',
  'A PodDisruptionBudget with its stored status, and as the disruption controller would compute it now.',
  {
    namespace: { type: 'identifier', description: 'Budget namespace.', example: 'default' },
    name: { type: 'identifier', description: 'Budget name.', example: 'web' },
    minAvailable: {
      type: 'identifier',
      optional: true,
      description: '`spec.minAvailable`, if set.',
    },
    maxUnavailable: {
      type: 'identifier',
      optional: true,
      description: '`spec.maxUnavailable`, if set.',
      example: '0',
    },
    unhealthyPodEvictionPolicy: {
      type: 'identifier',
      description: 'Which pods that are not ready may be evicted.',
      example: 'IfHealthyBudget',
    },
    outcome: { type: OUTCOME, description: OUTCOME.description, example: 'synced' },
    why: {
      type: 'string',
      optional: true,
      description: 'Why the sync fails, or what is unknown; null if it succeeds.',
    },
    computed: {
      type: budgetStatus,
      optional: true,
      description: 'Status after a sync now; null if unknown.',
      example: exampleOf(budgetStatus),
    },
    stored: {
      type: budgetStatus,
      optional: true,
      description: 'Stored status; null if there is none.',
      example: exampleOf(budgetStatus),
    },
    differs: {
      type: FIELD,
      list: true,
      description: 'Fields that differ between `computed` and `stored`.',
      example: [],
    },
    events: {
      type: 'identifier',
      list: true,
      description: 'Reasons of the events that the sync records.',
      example: [],
    },
    pods: { type: budgetPods, description: 'Selected pods.' },
    arithmetic: {
      type: budgetArithmetic,
      optional: true,
      description: 'The calculation; null if there is none.',
      example: exampleOf(budgetArithmetic),
    },
    text: {
      type: 'string',
      description: 'The calculation as text, or why there is none.',
      example: BUDGET_TEXT,
    },
  },
);
