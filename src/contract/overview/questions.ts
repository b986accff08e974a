import { READ_ERRORS } from '../errors.js';
import { question } from '../question.js';
import { nodeMatrix } from './node-matrix.js';
import { clusterOverview } from './overview.js';

const PARAMETERS = { cluster: 'example' } as const;

export const readOverview = question({
  id: 'overviews.get',
  summary: 'Read the overview of a cluster',
  description:
    'What the first page about a cluster shows: age and source of its state, nodes by state, taints, pods by phase, resources, findings, unconfirmed changes and objects by kind.',
  method: 'GET',
  path: 'clusters/{cluster}/overview',
  permission: 'read',
  readsRevision: true,
  response: clusterOverview,
  statuses: { 200: 'The overview.' },
  errors: READ_ERRORS,
  examples: { parameters: PARAMETERS },
  graphql: { on: 'Cluster', name: 'overview', description: 'What the first page about the cluster shows.' },
});

export const readNodeMatrix = question({
  id: 'nodeMatrix.get',
  summary: 'Read which pods the taints of which nodes keep off',
  description:
    'Groups of nodes with equal taints against groups of pods with equal tolerations, with a verdict for each pair. In columns, so that the answer stays small for thousands of nodes; selectors narrow it.',
  method: 'GET',
  path: 'clusters/{cluster}/node-matrix',
  permission: 'read',
  readsRevision: true,
  query: {
    labelSelector: {
      type: 'string',
      optional: true,
      description: "Only nodes with these labels, in kubectl's syntax.",
      example: 'pool=gpu',
    },
    namespace: { type: 'string', optional: true, description: 'Only pods of this namespace.', example: 'default' },
  },
  response: nodeMatrix,
  statuses: { 200: 'The matrix.' },
  errors: [...READ_ERRORS, 'answer-too-large'],
  examples: { parameters: PARAMETERS },
  graphql: { on: 'Cluster', name: 'nodeMatrix', description: 'Which pods the taints of which nodes keep off.' },
});
