import { enumType, object } from '../schema.js';

export const scoreTerm = object('ScoreTerm', 'One term of a score.', {
  of: {
    type: 'string',
    description: 'The resource, taint, affinity term or image that the term is for.',
    example: 'cpu',
  },
  amounts: {
    type: 'labels',
    description: 'Amounts by name, as Kubernetes quantities.',
    example: { requested: '1', allocatable: '4', weight: '1' },
  },
  score: { type: 'number', description: 'Score of the term.', example: 75 },
});

export const rankedScore = object('RankedScore', 'The score of one plugin for a node.', {
  plugin: { type: 'identifier', description: 'The plugin.', example: 'NodeResourcesFit' },
  weight: { type: 'number', description: 'Weight of the plugin in the profile.', example: 1 },
  raw: {
    type: 'number',
    optional: true,
    description: 'Raw score; null if the plugin does not apply to the pod, or if the score is unknown.',
    example: 75,
  },
  normalized: {
    type: 'number',
    optional: true,
    description: 'The raw score, normalized to 0 to 100 over all nodes.',
    example: 75,
  },
  weighted: { type: 'number', optional: true, description: 'The normalized score times the weight.', example: 75 },
  formula: {
    type: 'string',
    optional: true,
    description: 'How the terms combine to the raw score.',
    example: 'LeastAllocated: the free share of each resource, by weight',
  },
  terms: { type: scoreTerm, list: true, description: 'The terms.', example: [] },
});

export const rankedNode = object('RankedNode', 'A node with its rank.', {
  node: { type: 'identifier', description: 'The node.', example: 'node-1' },
  rank: { type: 'integer', description: '1 for the best; nodes with the same total share a rank.', example: 1 },
  total: { type: 'number', description: 'The sum of all weighted scores.', example: 75 },
  scores: { type: rankedScore, list: true, description: 'The scores of the plugins, in calling order.' },
});

export const scoreDifference = object(
  'ScoreDifference',
  'The difference between the weighted scores of two nodes by one plugin.',
  {
    plugin: { type: 'identifier', description: 'The plugin.', example: 'NodeResourcesFit' },
    ahead: { type: 'number', description: 'Weighted score of the node ahead.', example: 75 },
    behind: { type: 'number', description: 'Weighted score of the node behind.', example: 50 },
    difference: { type: 'number', description: '`ahead` minus `behind`.', example: 25 },
  },
);

export const rankDifference = object('RankDifference', 'Why one node ranks before another.', {
  ahead: { type: 'identifier', description: 'The node ahead.', example: 'node-1' },
  behind: { type: 'identifier', description: 'The node behind.', example: 'node-2' },
  margin: { type: 'number', description: 'The difference between the totals; 0 if they are tied.', example: 25 },
  decidedBy: {
    type: 'string',
    optional: true,
    description: 'The plugin with the greatest difference; null if they are tied.',
    example: 'NodeResourcesFit',
  },
  scores: {
    type: scoreDifference,
    list: true,
    description: 'The plugins whose scores differ, greatest difference first.',
  },
});

export const rankingFailure = object('RankingFailure', "A score plugin's error, which ends the scheduling attempt.", {
  plugin: { type: 'identifier', description: 'The plugin.' },
  message: { type: 'string', description: 'The Kubernetes message.' },
});

export const ranking = object('Ranking', 'The feasible nodes, best first.', {
  nodeCount: { type: 'integer', description: 'Number of ranked nodes.', example: 1 },
  tied: {
    type: 'integer',
    description: 'Number of nodes tied for the greatest total; the scheduler picks one at random.',
    example: 1,
  },
  nodes: {
    type: rankedNode,
    list: true,
    description:
      'The requested part of the ranking. Nodes with the same total are sorted by name, except the one that a seed draws.',
  },
  remainingItemCount: { type: 'integer', description: 'Number of ranked nodes after these.', example: 0 },
  difference: {
    type: rankDifference,
    optional: true,
    description: 'The first node compared with the second; null if there is no second.',
    example: null,
  },
  uncertain: {
    type: 'string',
    list: true,
    description: 'Plugins that are unknown to this service, or lack data, and could change the order.',
    example: [],
  },
  failure: {
    type: rankingFailure,
    optional: true,
    description: 'The failure of a score plugin: the scheduler does not place the pod and retries later.',
    example: null,
  },
  assumptions: {
    type: 'string',
    list: true,
    description: 'Assumptions made because no snapshot contained a kind.',
    example: [],
  },
});

export const PROFILE_SOURCE = enumType('ProfileSource', 'Where the profile of a scheduler comes from.', [
  'default',
  'stored',
  'given',
]);

export const placingScheduler = object('PlacingScheduler', 'The scheduler profile that places pods.', {
  schedulerName: {
    type: 'identifier',
    description: 'The scheduler name that the request or the pod sets.',
    example: 'default-scheduler',
  },
  profile: { type: 'identifier', description: 'The profile used.', example: 'default-scheduler' },
  source: {
    type: PROFILE_SOURCE,
    description: 'Source of the configuration: `default` (no configuration), `stored`, or `given` (in the request).',
    example: 'default',
  },
  outOfTreePlugins: {
    type: 'identifier',
    list: true,
    description: 'Out-of-tree plugins of the profile; their verdicts are unknown.',
    example: [],
  },
  note: {
    type: 'string',
    optional: true,
    description: 'A warning if no profile has this scheduler name, so that nothing schedules such pods.',
    example: null,
  },
});

/** A member of responses that depend on a scheduler profile. */
export const SCHEDULER = {
  type: placingScheduler,
  optional: true,
  description: 'The scheduler profile used; null for the default profile without a configuration.',
  example: null,
} as const;
