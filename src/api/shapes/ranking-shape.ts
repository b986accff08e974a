import { ObjectType } from '@nestjs/graphql';
import type { Labels } from '../../core/kubernetes/objects/meta.js';
import type { Plain } from './plain.js';
import { Shown } from './property.js';

@ObjectType('ScoreTerm', { description: 'One addend of a score.' })
class ScoreTermShape {
  @Shown({ type: 'string', description: 'The resource, taint, term or image that it is about.', example: 'cpu' })
  of!: string;

  @Shown({
    type: 'labels',
    description: "Amounts by their names, in Kubernetes' notation.",
    example: { requested: '1', allocatable: '4', weight: '1' },
  })
  amounts!: Labels;

  @Shown({ type: 'number', description: 'What it comes to.', example: 75 })
  score!: number;
}

@ObjectType('RankedScore', { description: "One plugin's part in the total of a node." })
class RankedScoreShape {
  @Shown({ type: 'string', description: 'The plugin.', example: 'NodeResourcesFit' })
  plugin!: string;

  @Shown({ type: 'number', description: 'How much it counts in the profile.', example: 1 })
  weight!: number;

  @Shown({
    type: 'number',
    optional: true,
    description: 'Its score; null where it has nothing to do with the pod, or is not known.',
    example: 75,
  })
  raw!: number | null;

  @Shown({ type: 'number', optional: true, description: 'The same, as 0 to 100 over all nodes.', example: 75 })
  normalized!: number | null;

  @Shown({ type: 'number', optional: true, description: 'That times the weight.', example: 75 })
  weighted!: number | null;

  @Shown({
    type: 'string',
    optional: true,
    description: 'How the raw score is made of the terms.',
    example: 'LeastAllocated: the free share of each resource, by weight',
  })
  formula!: string | null;

  @Shown({ type: () => ScoreTermShape, list: true, description: 'The addends.', example: [] })
  terms!: readonly Plain<ScoreTermShape>[];
}

@ObjectType('RankedNode', { description: 'A node in its place.' })
export class RankedNodeShape {
  @Shown({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;

  @Shown({ type: 'integer', description: '1 for the best; nodes with the same total share a place.', example: 1 })
  rank!: number;

  @Shown({ type: 'number', description: 'The sum of all weighted scores.', example: 75 })
  total!: number;

  @Shown({ type: () => RankedScoreShape, list: true, description: 'What it is made of, in calling order.' })
  scores!: readonly Plain<RankedScoreShape>[];
}

@ObjectType('ScoreDifference', { description: 'What a plugin gives to one node more than to another, weighted.' })
class ScoreDifferenceShape {
  @Shown({ type: 'string', description: 'The plugin.', example: 'NodeResourcesFit' })
  plugin!: string;

  @Shown({ type: 'number', description: 'What it gives to the node that is ahead.', example: 75 })
  ahead!: number;

  @Shown({ type: 'number', description: 'What it gives to the other.', example: 50 })
  behind!: number;

  @Shown({ type: 'number', description: 'The one less the other.', example: 25 })
  difference!: number;
}

@ObjectType('RankDifference', { description: 'Why one node comes before another.' })
export class RankDifferenceShape {
  @Shown({ type: 'string', description: 'The node that is ahead.', example: 'node-1' })
  ahead!: string;

  @Shown({ type: 'string', description: 'The other.', example: 'node-2' })
  behind!: string;

  @Shown({ type: 'number', description: 'The totals apart; 0 where they are tied.', example: 25 })
  margin!: number;

  @Shown({
    type: 'string',
    optional: true,
    description: 'The plugin that gives the most of it; null where they are tied.',
    example: 'NodeResourcesFit',
  })
  decidedBy!: string | null;

  @Shown({
    type: () => ScoreDifferenceShape,
    list: true,
    description: 'The plugins that tell them apart, the greatest difference first.',
  })
  scores!: readonly Plain<ScoreDifferenceShape>[];
}

@ObjectType('RankingFailure', { description: "A score plugin's error, with which the pod's turn ends." })
class RankingFailureShape {
  @Shown({ type: 'string', description: 'The plugin.' })
  plugin!: string;

  @Shown({ type: 'string', description: "In Kubernetes' words." })
  message!: string;
}

@ObjectType('Ranking', { description: 'The nodes that can take a pod, from the best to the worst.' })
export class RankingShape {
  @Shown({ type: 'integer', description: 'How many nodes are ranked.', example: 1 })
  nodeCount!: number;

  @Shown({
    type: 'integer',
    description: 'How many have the greatest total: the scheduler draws one of them.',
    example: 1,
  })
  tied!: number;

  @Shown({
    type: () => RankedNodeShape,
    list: true,
    description:
      'The places that were asked for. Of nodes with the same total those come first whose names do, but for the one that a seed draws.',
  })
  nodes!: readonly Plain<RankedNodeShape>[];

  @Shown({ type: 'integer', description: 'How many follow.', example: 0 })
  remainingItemCount!: number;

  @Shown({
    type: () => RankDifferenceShape,
    optional: true,
    description: 'The first against the second; null where there is no second.',
    example: null,
  })
  difference!: Plain<RankDifferenceShape> | null;

  @Shown({
    type: 'string',
    list: true,
    description: 'Plugins that are not known here, or do not know, and could make it another order.',
    example: [],
  })
  uncertain!: readonly string[];

  @Shown({
    type: () => RankingFailureShape,
    optional: true,
    description: 'Where a score plugin fails: the pod is not placed, and tried again later.',
    example: null,
  })
  failure!: Plain<RankingFailureShape> | null;

  @Shown({
    type: 'string',
    list: true,
    description: 'What was taken for given because the kind that would tell was never loaded.',
    example: [],
  })
  assumptions!: readonly string[];
}

@ObjectType('PlacingScheduler', { description: 'The profile that pods are placed by.' })
export class PlacingSchedulerShape {
  @Shown({
    type: 'string',
    description: 'The scheduler that is asked for: by the pod, or by the question.',
    example: 'default-scheduler',
  })
  schedulerName!: string;

  @Shown({ type: 'string', description: 'The profile that answers.', example: 'default-scheduler' })
  profile!: string;

  @Shown({
    type: 'string',
    description: 'Where it comes from: `default` (of a scheduler that was told nothing), `stored` or `given`.',
    example: 'default',
  })
  source!: string;

  @Shown({
    type: 'string',
    list: true,
    description: 'Out-of-tree plugins of the profile: their answers are unknown.',
    example: [],
  })
  outOfTreePlugins!: readonly string[];

  @Shown({
    type: 'string',
    optional: true,
    description: 'Set where no profile is that of this scheduler, so that nobody schedules such pods.',
    example: null,
  })
  note!: string | null;
}

/** Of an answer that is by a profile. */
export const SCHEDULER = {
  type: () => PlacingSchedulerShape,
  optional: true,
  description:
    'The profile that answers; null where nothing is stored of the scheduler, and none was given: the default profile.',
  example: null,
} as const;
