import { object } from '../schema.js';

export const scoreTerm = object('ScoreTerm', 'One addend of a score.', {
  of: { type: 'string', description: 'The resource, taint, term or image that it is about.', example: 'cpu' },
  amounts: {
    type: 'labels',
    description: "Amounts by their names, in Kubernetes' notation.",
    example: { requested: '1', allocatable: '4', weight: '1' },
  },
  score: { type: 'number', description: 'What it comes to.', example: 75 },
});

export const rankedScore = object('RankedScore', "One plugin's part in the total of a node.", {
  plugin: { type: 'string', description: 'The plugin.', example: 'NodeResourcesFit' },
  weight: { type: 'number', description: 'How much it counts in the profile.', example: 1 },
  raw: {
    type: 'number',
    optional: true,
    description: 'Its score; null where it has nothing to do with the pod, or is not known.',
    example: 75,
  },
  normalized: { type: 'number', optional: true, description: 'The same, as 0 to 100 over all nodes.', example: 75 },
  weighted: { type: 'number', optional: true, description: 'That times the weight.', example: 75 },
  formula: {
    type: 'string',
    optional: true,
    description: 'How the raw score is made of the terms.',
    example: 'LeastAllocated: the free share of each resource, by weight',
  },
  terms: { type: scoreTerm, list: true, description: 'The addends.', example: [] },
});

export const rankedNode = object('RankedNode', 'A node in its place.', {
  node: { type: 'string', description: 'The node.', example: 'node-1' },
  rank: { type: 'integer', description: '1 for the best; nodes with the same total share a place.', example: 1 },
  total: { type: 'number', description: 'The sum of all weighted scores.', example: 75 },
  scores: { type: rankedScore, list: true, description: 'What it is made of, in calling order.' },
});

export const scoreDifference = object(
  'ScoreDifference',
  'What a plugin gives to one node more than to another, weighted.',
  {
    plugin: { type: 'string', description: 'The plugin.', example: 'NodeResourcesFit' },
    ahead: { type: 'number', description: 'What it gives to the node that is ahead.', example: 75 },
    behind: { type: 'number', description: 'What it gives to the other.', example: 50 },
    difference: { type: 'number', description: 'The one less the other.', example: 25 },
  },
);

export const rankDifference = object('RankDifference', 'Why one node comes before another.', {
  ahead: { type: 'string', description: 'The node that is ahead.', example: 'node-1' },
  behind: { type: 'string', description: 'The other.', example: 'node-2' },
  margin: { type: 'number', description: 'The totals apart; 0 where they are tied.', example: 25 },
  decidedBy: {
    type: 'string',
    optional: true,
    description: 'The plugin that gives the most of it; null where they are tied.',
    example: 'NodeResourcesFit',
  },
  scores: {
    type: scoreDifference,
    list: true,
    description: 'The plugins that tell them apart, the greatest difference first.',
  },
});

export const rankingFailure = object('RankingFailure', "A score plugin's error, with which the pod's turn ends.", {
  plugin: { type: 'string', description: 'The plugin.' },
  message: { type: 'string', description: "In Kubernetes' words." },
});

export const ranking = object('Ranking', 'The nodes that can take a pod, from the best to the worst.', {
  nodeCount: { type: 'integer', description: 'How many nodes are ranked.', example: 1 },
  tied: {
    type: 'integer',
    description: 'How many have the greatest total: the scheduler draws one of them.',
    example: 1,
  },
  nodes: {
    type: rankedNode,
    list: true,
    description:
      'The places that were asked for. Of nodes with the same total those come first whose names do, but for the one that a seed draws.',
  },
  remainingItemCount: { type: 'integer', description: 'How many follow.', example: 0 },
  difference: {
    type: rankDifference,
    optional: true,
    description: 'The first against the second; null where there is no second.',
    example: null,
  },
  uncertain: {
    type: 'string',
    list: true,
    description: 'Plugins that are not known here, or do not know, and could make it another order.',
    example: [],
  },
  failure: {
    type: rankingFailure,
    optional: true,
    description: 'Where a score plugin fails: the pod is not placed, and tried again later.',
    example: null,
  },
  assumptions: {
    type: 'string',
    list: true,
    description: 'What was taken for given because the kind that would tell was never loaded.',
    example: [],
  },
});

export const placingScheduler = object('PlacingScheduler', 'The profile that pods are placed by.', {
  schedulerName: {
    type: 'string',
    description: 'The scheduler that is asked for: by the pod, or by the question.',
    example: 'default-scheduler',
  },
  profile: { type: 'string', description: 'The profile that answers.', example: 'default-scheduler' },
  source: {
    type: 'string',
    description: 'Where it comes from: `default` (of a scheduler that was told nothing), `stored` or `given`.',
    example: 'default',
  },
  outOfTreePlugins: {
    type: 'string',
    list: true,
    description: 'Out-of-tree plugins of the profile: their answers are unknown.',
    example: [],
  },
  note: {
    type: 'string',
    optional: true,
    description: 'Set where no profile is that of this scheduler, so that nobody schedules such pods.',
    example: null,
  },
});

/** Of an answer that is by a profile. */
export const SCHEDULER = {
  type: placingScheduler,
  optional: true,
  description:
    'The profile that answers; null where nothing is stored of the scheduler, and none was given: the default profile.',
  example: null,
} as const;
