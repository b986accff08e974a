import { answerBasis } from '../common/basis.js';
import { LIST_ERRORS, READ_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { scenarioOutcome, scenarioOutcomeRequest } from './scenario-outcome.js';
import { scenarioImpact, scenarioImpactCounts, scenarioImpactsRequest } from './scenario-impact.js';

export const compareScenario = question({
  id: 'scenarioImpacts.impacts',
  summary: 'Find what hypothetical changes make worse',
  description:
    'Compares a state with a scenario: pods that admission would now refuse, pods that no longer fit their node ' +
    'with the reason of the filter, overcommitted nodes and exceeded quotas, before and after. What was as bad ' +
    'before is left out. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/scenario-impacts',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: { type: scenarioImpactsRequest, description: 'The changes.' },
  response: list({
    name: 'ScenarioImpactList',
    item: scenarioImpact,
    itemsDescription: 'Impacts by kind, namespace and name.',
    head: {
      basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
      counts: { type: scenarioImpactCounts, description: 'Impacts of each kind.' },
    },
    connection: {
      name: 'ScenarioImpact',
      description: 'What hypothetical changes make worse, by kind, namespace and name.',
    },
  }),
  statuses: { 200: 'A page of impacts.' },
  errors: [...LIST_ERRORS, 'budget-exceeded'],
  examples: {
    parameters: { cluster: 'example', limit: 10 },
    body: { scenario: { changes: [{ resizeNodes: { nodes: ['node-1'], allocatable: { cpu: '2' } } }] } },
  },
  graphql: {
    on: 'Cluster',
    name: 'scenarioImpacts',
    description: 'What hypothetical changes make worse: pods, nodes and quotas.',
    input: { description: 'Which impacts to return.', optional: true },
  },
});

export const readScenarioOutcome = question({
  id: 'scenarioOutcomes.outcome',
  summary: 'Sum up a state without and with hypothetical changes',
  description:
    'Returns nodes, pods, resources, evictions by NoExecute taints, quotas, the cost of overhead and findings of a ' +
    'state, without and with the changes of a scenario. Nothing is stored. What gets worse in detail: ' +
    '`scenario-impacts`; pods that wait: `placement-comparisons`; evictions: `eviction-schedules`.',
  method: 'POST',
  path: 'clusters/{cluster}/scenario-outcomes',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: { type: scenarioOutcomeRequest, description: 'The changes.' },
  response: scenarioOutcome,
  statuses: { 200: 'The state without and with the changes.' },
  errors: [...READ_ERRORS, 'budget-exceeded'],
  examples: {
    parameters: { cluster: 'example' },
    body: { scenario: { changes: [{ editNodes: { nodes: ['node-1'], taints: ['maintenance=true:NoExecute'] } }] } },
  },
  graphql: {
    on: 'Cluster',
    name: 'scenarioOutcome',
    description: 'A state without and with hypothetical changes, in sums.',
  },
});
