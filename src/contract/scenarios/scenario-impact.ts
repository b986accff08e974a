import { object, enumType } from '../schema.js';
import { scenarioInput } from './scenario-request.js';
import { IMPACT_KINDS } from '../../core/scenario-impact/step-scenario-impacts.js';

export const KIND = enumType(
  'ScenarioImpactKind',
  'A pod that admission does not let in again; one that would not be placed on its node any more; a node whose pods request more than it has; a quota of which more is used than it allows.',
  IMPACT_KINDS,
);

export const IMPACT_KINDS_FILTER = {
  type: KIND,
  list: true,
  optional: true,
  maximumLength: 4,
  description: 'Only these; all by default.',
  example: ['nodeOvercommitted'],
} as const;

export const scenarioImpactsRequest = object(
  'ScenarioImpacts',
  '',
  { scenario: { type: scenarioInput, description: 'The changes.' }, kinds: IMPACT_KINDS_FILTER },
  { restOnly: true },
);

export const scenarioImpact = object('ScenarioImpact', 'Something that hypothetical changes make worse than it is.', {
  kind: { type: KIND, description: 'What it is.', example: 'nodeOvercommitted' },
  namespace: { type: 'string', optional: true, description: 'Of the pod or the quota; null for a node.' },
  name: { type: 'string', description: 'Of the pod, the quota or the node.', example: 'node-1' },
  node: { type: 'string', optional: true, description: 'The node; null where there is none.', example: 'node-1' },
  by: { type: 'string', description: 'The filter, the admission plugin, or the resource.', example: 'cpu' },
  before: { type: 'string', optional: true, description: 'Requested, or used, before.', example: '3' },
  after: { type: 'string', optional: true, description: 'Requested, or used, after.', example: '5' },
  limit: { type: 'string', optional: true, description: 'What there is, or is allowed.', example: '4' },
  message: {
    type: 'string',
    description: "In words: the filter's, the API server's, or ours.",
    example: 'its pods request 5 cpu, but it has only 4; before, they requested 3',
  },
});

export const scenarioImpactCounts = object('ScenarioImpactCounts', 'How many impacts of each kind there are.', {
  podRefused: { type: 'integer', description: 'Pods that admission does not let in again.', example: 0 },
  podDoesNotFit: {
    type: 'integer',
    description: 'Pods that would not be placed on their node any more, by reason.',
    example: 0,
  },
  nodeOvercommitted: { type: 'integer', description: 'Nodes that are overcommitted, by resource.', example: 1 },
  quotaOverflows: { type: 'integer', description: 'Quotas that overflow, by resource.', example: 0 },
});
