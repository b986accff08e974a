import { READ_ERRORS } from '../errors.js';
import { MAX_PAGE_SIZE } from '../page.js';
import { question } from '../question.js';
import { podRanking } from './pod-ranking.js';

export const DEFAULT_AHEAD = 10;

export const rankPlacedPod = question({
  id: 'podRankings.rank',
  summary: 'Explain why a pod is on its node',
  description:
    'Ranks the node of a running pod among all nodes that could take the pod today, as if it were not bound, with the arithmetic of every score. Also lists what has changed since the pod was placed, according to the stored revisions.',
  method: 'GET',
  path: 'clusters/{cluster}/pods/{namespace}/{pod}/ranking',
  variables: {
    namespace: { in: 'namespace', description: 'Pod namespace.' },
    name: { in: 'pod', description: 'Pod name.' },
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
      description: 'Maximum number of listed nodes that rank above the node of the pod.',
      example: 10,
    },
  },
  response: podRanking,
  statuses: { 200: 'The ranking.' },
  errors: [...READ_ERRORS, 'object-not-found', 'budget-exceeded'],
  examples: {
    parameters: { cluster: 'example', namespace: 'default', pod: 'web' },
  },
  graphql: {
    on: 'Cluster',
    name: 'podRanking',
    description: 'How the node of a running pod ranks for it today, and what has changed since the pod was placed.',
  },
});
