import { VERDICT } from '../placements/placement-request.js';
import { object } from '../schema.js';
import { podDifference, nodeDifference } from '../snapshots/difference.js';
import { answerBasis } from '../common/basis.js';
import { placingScheduler, rankedNode, rankDifference } from '../placements/ranking.js';
import { placementReason } from '../placements/reason.js';

export const changesSincePlaced = object('ChangesSincePlaced', 'What has changed since a pod came to its node.', {
  revision: { type: 'integer', description: 'The first stored revision that has the pod on its node.', example: 1 },
  capturedAt: { type: 'time', description: 'When that was captured.' },
  isOldest: {
    type: 'boolean',
    description: 'Whether it is the oldest that is stored: the pod may have come before.',
    example: true,
  },
  nodesAdded: { type: 'integer', description: 'Nodes that are there since.', example: 0 },
  nodesRemoved: { type: 'integer', description: 'Nodes that are there no more.', example: 0 },
  nodesChanged: { type: 'integer', description: 'Nodes that are otherwise, by what placement can see.', example: 0 },
  aheadAdded: {
    type: 'string',
    list: true,
    description: 'Nodes that rank before its own and were not there then; up to ten.',
    example: [],
  },
  aheadChanged: {
    type: 'string',
    list: true,
    description: 'Nodes that rank before its own and were otherwise then; up to ten.',
    example: [],
  },
  pods: { type: podDifference, description: 'The pods of the cluster.' },
  node: {
    type: nodeDifference,
    optional: true,
    description: 'How its own node differs: taints, labels, amounts; null where it does not.',
    example: null,
  },
});

export const podRanking = object(
  'PodRanking',
  "How a pod's node ranks for it today, and what has changed since it came.",
  {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    scheduler: {
      type: placingScheduler,
      optional: true,
      description: 'The profile that answers; null where nothing is stored of the scheduler: the default profile.',
      example: null,
    },
    node: {
      type: 'string',
      optional: true,
      description: 'Its node; null of a pod that is on none, or on one that is not stored.',
      example: 'node-1',
    },
    verdict: {
      type: VERDICT,
      optional: true,
      description: 'Whether its node could take it today, as if it were not there.',
      example: 'feasible',
    },
    reasons: { type: placementReason, list: true, description: 'Why its node could not.', example: [] },
    place: {
      type: rankedNode,
      optional: true,
      description: 'The place of its node among all that could take it; null where it could not.',
    },
    nodeCount: { type: 'integer', description: 'How many nodes are ranked.', example: 2 },
    tied: { type: 'integer', description: 'How many have the greatest total.', example: 1 },
    aheadCount: { type: 'integer', description: 'How many rank before its own.', example: 0 },
    ahead: { type: rankedNode, list: true, description: 'The best of those.', example: [] },
    difference: {
      type: rankDifference,
      optional: true,
      description: 'The best node against its own; null where its own is among the best.',
      example: null,
    },
    uncertain: {
      type: 'string',
      list: true,
      description: 'Plugins that are not known here, or do not know, and could make it another order.',
      example: [],
    },
    assumptions: {
      type: 'string',
      list: true,
      description: 'What was taken for given because the kind that would tell was never loaded.',
      example: [],
    },
    changes: {
      type: changesSincePlaced,
      optional: true,
      description: 'What has changed since it came to its node, as far as stored revisions tell.',
    },
  },
);
