import { object, enumType } from '../schema.js';
import { scenarioInput } from './scenario-request.js';
import { IMPACT_KINDS } from '../../core/scenario-impact/step-scenario-impacts.js';

export const KIND = enumType(
  'ScenarioImpactKind',
  'A pod that admission would not admit again; a pod that would no longer be placed on its node; a node whose ' +
    'pods request more than it has; a quota whose usage exceeds its limit.',
  IMPACT_KINDS,
);

export const IMPACT_KINDS_FILTER = {
  type: KIND,
  list: true,
  optional: true,
  maximumLength: 4,
  description: 'Only these kinds. Default: all.',
  example: ['nodeOvercommitted'],
} as const;

export const scenarioImpactsRequest = object(
  'ScenarioImpacts',
  '',
  { scenario: { type: scenarioInput, description: 'The changes.' }, kinds: IMPACT_KINDS_FILTER },
  { restOnly: true },
);

export const scenarioImpact = object('ScenarioImpact', 'Something that hypothetical changes make worse.', {
  kind: { type: KIND, description: KIND.description, example: 'nodeOvercommitted' },
  namespace: { type: 'identifier', optional: true, description: 'Namespace of the pod or quota; null for a node.' },
  name: { type: 'identifier', description: 'Name of the pod, quota or node.', example: 'node-1' },
  node: { type: 'identifier', optional: true, description: 'Node name; null if there is none.', example: 'node-1' },
  by: { type: 'identifier', description: 'The filter, the admission plugin, or the resource.', example: 'cpu' },
  before: { type: 'identifier', optional: true, description: 'Requests or usage before.', example: '3' },
  after: { type: 'identifier', optional: true, description: 'Requests or usage after.', example: '5' },
  limit: { type: 'identifier', optional: true, description: 'Available amount, or limit.', example: '4' },
  message: {
    type: 'string',
    description: 'Message of the filter, of the API server, or of this service.',
    example: 'its pods request 5 cpu, but it has only 4; before, they requested 3',
  },
});

export const scenarioImpactCounts = object('ScenarioImpactCounts', 'Impacts of each kind.', {
  podRefused: { type: 'integer', description: 'Pods that admission would not admit again.', example: 0 },
  podDoesNotFit: {
    type: 'integer',
    description: 'Pods that would no longer be placed on their node, by reason.',
    example: 0,
  },
  nodeOvercommitted: { type: 'integer', description: 'Overcommitted nodes, by resource.', example: 1 },
  quotaOverflows: { type: 'integer', description: 'Exceeded quotas, by resource.', example: 0 },
});
