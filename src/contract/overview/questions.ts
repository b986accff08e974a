import { READ_ERRORS } from '../errors.js';
import { question } from '../question.js';
import { nodeMatrix } from './node-matrix.js';
import { clusterOverview } from './overview.js';

const PARAMETERS = { cluster: 'example' } as const;

export const readOverview = question({
  id: 'overviews.get',
  summary: 'Read the overview of a cluster',
  description:
    'A summary of a cluster, for a start page: age and origin of its state, nodes by state, taints, pods by phase, resources, findings, unconfirmed changes and objects by kind.',
  method: 'GET',
  path: 'clusters/{cluster}/overview',
  permission: 'read',
  readsRevision: true,
  response: clusterOverview,
  statuses: { 200: 'The overview.' },
  errors: READ_ERRORS,
  examples: { parameters: PARAMETERS },
  graphql: { on: 'Cluster', name: 'overview', description: 'A summary of the cluster, for a start page.' },
});

export const readNodeMatrix = question({
  id: 'nodeMatrix.get',
  summary: 'Read which nodes repel which pods',
  description:
    'Groups of nodes with the same taints against groups of pods with the same tolerations, with a verdict for each pair. Columnar, to stay small for thousands of nodes; filters restrict nodes and pods.',
  method: 'GET',
  path: 'clusters/{cluster}/node-matrix',
  permission: 'read',
  readsRevision: true,
  query: {
    labelSelector: {
      type: 'string',
      optional: true,
      syntax: 'labelSelector',
      description: 'Label selector for nodes, in kubectl syntax.',
      example: 'pool=gpu',
    },
    namespace: { type: 'identifier', optional: true, description: 'Only pods in this namespace.', example: 'default' },
    details: {
      type: 'boolean',
      sharedAs: 'NodeMatrixDetails',
      optional: true,
      defaultsTo: false,
      description: 'Also list every workload of each group of pods, and which toleration matches which taint.',
      example: true,
    },
  },
  response: nodeMatrix,
  statuses: { 200: 'The matrix.' },
  errors: [...READ_ERRORS, 'answer-too-large'],
  examples: { parameters: PARAMETERS },
  graphql: { on: 'Cluster', name: 'nodeMatrix', description: 'Which nodes repel which pods through taints.' },
});
