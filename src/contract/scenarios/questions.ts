import { answerBasis } from '../common/basis.js';
import { LIST_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { scenarioImpact, scenarioImpactCounts, scenarioImpactsRequest } from './scenario-impact.js';

export const compareScenario = question({
  id: 'scenarioImpacts.impacts',
  summary: 'Ask what hypothetical changes make worse',
  description:
    'Compares a state with what a scenario makes of it: pods that admission would refuse now, pods that would not be placed on their node any more with the reason of the filter, nodes that are overcommitted and quotas that overflow, before and after. What was as bad before is left out. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/scenario-impacts',
  permission: 'evaluate',
  readsRevision: true,
  beyondRevision: true,
  body: { type: scenarioImpactsRequest, description: 'The changes.' },
  response: list({
    name: 'ScenarioImpactList',
    item: scenarioImpact,
    itemsDescription: 'By kind, namespace and name.',
    head: {
      basis: { type: answerBasis, description: 'What the answer rests on.' },
      counts: { type: scenarioImpactCounts, description: 'How many there are of each kind.' },
    },
    connection: {
      name: 'ScenarioImpact',
      description: 'What hypothetical changes make worse, by kind, namespace and name.',
    },
  }),
  statuses: { 200: 'What is worse.' },
  errors: [...LIST_ERRORS, 'budget-exceeded'],
  examples: {
    parameters: { cluster: 'example', limit: 10 },
    body: { scenario: { changes: [{ resizeNodes: { nodes: ['node-1'], allocatable: { cpu: '2' } } }] } },
  },
  graphql: {
    on: 'Cluster',
    name: 'scenarioImpacts',
    description: 'What hypothetical changes make worse than it is: pods, nodes and quotas.',
    input: { description: 'Which of it.', optional: true },
  },
});
