import { READ_ERRORS } from '../errors.js';
import { MAX_PAGE_SIZE } from '../page.js';
import { question } from '../question.js';
import { podRanking } from './pod-ranking.js';

export const DEFAULT_AHEAD = 10;

export const rankPlacedPod = question({
  id: 'podRankings.rank',
  summary: 'Tell why a pod is where it is',
  description:
    'How the node of a running pod ranks for it today among all nodes that could take it, with the arithmetic of every score, as if the pod were on none; and what has changed since it came there, as far as stored revisions tell.',
  method: 'GET',
  path: 'clusters/{cluster}/pods/{namespace}/{pod}/ranking',
  variables: {
    namespace: { in: 'namespace', description: 'The namespace of the pod.' },
    name: { in: 'pod', description: 'Its name.' },
  },
  permission: 'evaluate',
  readsRevision: true,
  query: {
    limit: {
      type: 'integer',
      optional: true,
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      defaultsTo: DEFAULT_AHEAD,
      description: 'At most so many of the nodes that rank before its own.',
      example: 10,
    },
  },
  response: podRanking,
  statuses: { 200: 'The answer.' },
  errors: [...READ_ERRORS, 'object-not-found', 'budget-exceeded'],
  examples: {
    parameters: { cluster: 'example', namespace: 'default', pod: 'web' },
  },
  graphql: {
    on: 'Cluster',
    name: 'podRanking',
    description: 'How the node of a running pod ranks for it today, and what has changed since it came there.',
  },
});
