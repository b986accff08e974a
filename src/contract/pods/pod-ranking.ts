import { VERDICT } from '../placements/placement-request.js';
import { object } from '../schema.js';
import { podDifference, nodeDifference } from '../snapshots/difference.js';
import { answerBasis } from '../common/basis.js';
import { placingScheduler, rankedNode, rankDifference } from '../placements/ranking.js';
import { placementReason } from '../placements/reason.js';

export const changesSincePlaced = object('ChangesSincePlaced', 'What has changed since a pod was placed on its node.', {
  revision: { type: 'integer', description: 'The first stored revision with the pod on its node.', example: 1 },
  capturedAt: { type: 'time', description: 'When this revision was captured.' },
  isOldest: {
    type: 'boolean',
    description: 'Whether this is the oldest stored revision; the pod may have been placed earlier.',
    example: true,
  },
  nodesAdded: { type: 'integer', description: 'Number of nodes added since then.', example: 0 },
  nodesRemoved: { type: 'integer', description: 'Number of nodes removed since then.', example: 0 },
  nodesChanged: {
    type: 'integer',
    description: 'Number of nodes changed since then in ways that affect placement.',
    example: 0,
  },
  aheadAdded: {
    type: 'identifier',
    list: true,
    description: 'Nodes ranked above the node of the pod that did not exist then; up to ten.',
    example: [],
  },
  aheadChanged: {
    type: 'identifier',
    list: true,
    description: 'Nodes ranked above the node of the pod that have changed since then; up to ten.',
    example: [],
  },
  pods: { type: podDifference, description: 'Changes of the pods of the cluster.' },
  node: {
    type: nodeDifference,
    optional: true,
    description: 'Changes of the node of the pod: taints, labels, amounts; null if there are none.',
    example: null,
  },
});

export const podRanking = object(
  'PodRanking',
  'How the node of a pod ranks for it today, and what has changed since the pod was placed.',
  {
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
    scheduler: {
      type: placingScheduler,
      optional: true,
      description: 'The scheduler profile used; null for the default profile without a configuration.',
      example: null,
    },
    node: {
      type: 'identifier',
      optional: true,
      description: 'Node of the pod; null if it has none, or if the node is not stored.',
      example: 'node-1',
    },
    verdict: {
      type: VERDICT,
      optional: true,
      description: 'Whether the node could take the pod today, if the pod were not already on it.',
      example: 'feasible',
    },
    reasons: { type: placementReason, list: true, description: 'Why the node could not take the pod.', example: [] },
    place: {
      type: rankedNode,
      optional: true,
      description: 'The rank of the node among all nodes that could take the pod; null if the node could not.',
    },
    nodeCount: { type: 'integer', description: 'Number of ranked nodes.', example: 2 },
    tied: { type: 'integer', description: 'Number of nodes with the greatest total.', example: 1 },
    aheadCount: { type: 'integer', description: 'Number of nodes ranked above the node of the pod.', example: 0 },
    ahead: { type: rankedNode, list: true, description: 'The best of these nodes.', example: [] },
    difference: {
      type: rankDifference,
      optional: true,
      description: 'The best node compared with the node of the pod; null if that is among the best.',
      example: null,
    },
    uncertain: {
      type: 'string',
      list: true,
      description: 'Plugins that are unknown to this service, or lack data, and could change the order.',
      example: [],
    },
    assumptions: {
      type: 'string',
      list: true,
      description: 'Assumptions made because no snapshot contained a kind.',
      example: [],
    },
    changes: {
      type: changesSincePlaced,
      optional: true,
      description: 'What has changed since the pod was placed, according to the stored revisions.',
    },
  },
);
