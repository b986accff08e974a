import { ObjectType } from '@nestjs/graphql';
import { IMPACT_KINDS } from '../../core/scenario-impact/step-scenario-impacts.js';
import { Shown } from './property.js';
import { wordsType } from './property-type.js';

const KIND = wordsType(
  'ScenarioImpactKind',
  'A pod that admission does not let in again; one that would not be placed on its node any more; a node whose pods request more than it has; a quota of which more is used than it allows.',
  IMPACT_KINDS,
);

export const IMPACT_KINDS_FILTER = {
  type: KIND,
  list: true,
  optional: true,
  maximumLength: 4,
  description: 'Only these; all unless told.',
  example: ['nodeOvercommitted'],
} as const;

@ObjectType('ScenarioImpact', { description: 'Something that hypothetical changes make worse than it is.' })
export class ScenarioImpactShape {
  @Shown({ type: KIND, description: 'What it is.', example: 'nodeOvercommitted' })
  kind!: string;

  @Shown({ type: 'string', optional: true, description: 'Of the pod or the quota; null for a node.' })
  namespace!: string | null;

  @Shown({ type: 'string', description: 'Of the pod, the quota or the node.', example: 'node-1' })
  name!: string;

  @Shown({ type: 'string', optional: true, description: 'The node; null where there is none.', example: 'node-1' })
  node!: string | null;

  @Shown({ type: 'string', description: 'The filter, the admission plugin, or the resource.', example: 'cpu' })
  by!: string;

  @Shown({ type: 'string', optional: true, description: 'Requested, or used, before.', example: '3' })
  before!: string | null;

  @Shown({ type: 'string', optional: true, description: 'Requested, or used, after.', example: '5' })
  after!: string | null;

  @Shown({ type: 'string', optional: true, description: 'What there is, or is allowed.', example: '4' })
  limit!: string | null;

  @Shown({
    type: 'string',
    description: "In words: the filter's, the API server's, or ours.",
    example: 'its pods request 5 cpu, and it has 4; before they requested 3',
  })
  message!: string;
}

@ObjectType('ScenarioImpactCounts', { description: 'How many impacts of each kind there are.' })
export class ScenarioImpactCountsShape {
  @Shown({ type: 'integer', description: 'Pods that admission does not let in again.', example: 0 })
  podRefused!: number;

  @Shown({
    type: 'integer',
    description: 'Pods that would not be placed on their node any more, by reason.',
    example: 0,
  })
  podDoesNotFit!: number;

  @Shown({ type: 'integer', description: 'Nodes that are overcommitted, by resource.', example: 1 })
  nodeOvercommitted!: number;

  @Shown({ type: 'integer', description: 'Quotas that overflow, by resource.', example: 0 })
  quotaOverflows!: number;
}
