import { READ_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { DEFAULT_COMPUTED, FLEET_ORDER, fleetCluster, fleetSums, MOST_COMPUTED, TROUBLE } from './fleet.js';
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

export const readFleet = question({
  id: 'fleet.list',
  summary: 'Read the fleet',
  description:
    'Every cluster with the age of its state, its link, what is counted in it, and why to look at it; by default the most troubled first. ' +
    'Figures are kept, so that no state is loaded for them: a request computes those of a few clusters that lack them, and then of ' +
    'a few whose figures are of an earlier revision, which `figures.revision` names.',
  method: 'GET',
  path: 'fleet',
  permission: 'read',
  clusters: 'each',
  query: {
    labelSelector: {
      type: 'string',
      optional: true,
      syntax: 'labelSelector',
      description: 'Label selector for clusters, in kubectl syntax.',
      example: 'env=prod,region in (eu,us)',
    },
    name: {
      type: 'string',
      optional: true,
      maximumLength: 253,
      description: 'Only clusters whose name contains this, in lower or upper case.',
      example: 'prod',
    },
    trouble: { type: TROUBLE, optional: true, description: 'Only clusters with this trouble.' },
    order: {
      type: FLEET_ORDER,
      optional: true,
      defaultsTo: 'trouble',
      description: '`trouble`: the most urgent trouble first, and of equal ones most pods that wait first.',
    },
    compute: {
      type: 'integer',
      optional: true,
      minimum: 0,
      maximum: MOST_COMPUTED,
      defaultsTo: DEFAULT_COMPUTED,
      description: 'Compute figures of at most so many clusters.',
      example: 4,
    },
  },
  response: list({
    name: 'Fleet',
    item: fleetCluster,
    itemsDescription: 'The clusters, in the requested order.',
    head: { sums: { type: fleetSums, description: 'Sums over the clusters of all pages.' } },
    connection: { name: 'Fleet', description: 'Clusters, and why to look at them.' },
  }),
  statuses: { 200: 'A page of clusters.' },
  errors: ['invalid-continue-token'],
  examples: { parameters: { labelSelector: 'env=prod', limit: 10 } },
  graphql: { on: 'Query', name: 'fleet', description: 'The clusters, and why to look at them.' },
});
