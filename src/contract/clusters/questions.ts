import { list, question } from '../question.js';
import { cluster, deletedCluster, putClusterInput } from './cluster.js';

const PARAMETERS = { cluster: 'example' } as const;
const BY_NAME = { argument: 'name', description: 'The name of the cluster.' } as const;

export const putCluster = question({
  id: 'clusters.put',
  summary: 'Create a cluster, or label it',
  description: 'Names a cluster, or gives an existing one other labels. Saying the same twice changes nothing.',
  method: 'PUT',
  path: 'clusters/{cluster}',
  permission: 'admin',
  body: { type: putClusterInput, description: 'Its labels.', required: false },
  response: cluster,
  statuses: { 200: 'The cluster was there.', 201: 'The cluster was created.' },
  errors: [],
  examples: { parameters: PARAMETERS, body: { labels: { env: 'prod' } } },
  graphql: {
    on: 'Mutation',
    name: 'putCluster',
    input: { description: 'Which cluster, and its labels.' },
    description: 'Creates a cluster, or gives an existing one other labels.',
  },
});

export const listClusters = question({
  id: 'clusters.list',
  summary: 'List clusters',
  description: 'The clusters by name, page by page.',
  method: 'GET',
  path: 'clusters',
  permission: 'read',
  clusters: 'each',
  query: {
    labelSelector: {
      type: 'string',
      optional: true,
      description: "Only clusters with these labels, in kubectl's syntax.",
      example: 'env=prod,region in (eu,us)',
    },
  },
  response: list({
    name: 'ClusterList',
    item: cluster,
    itemsDescription: 'The clusters, by name.',
    head: {},
    connection: { name: 'Cluster', description: 'Clusters, by name.' },
  }),
  statuses: { 200: 'A page of clusters.' },
  errors: ['invalid-continue-token'],
  examples: { parameters: { labelSelector: 'env=prod', limit: 10 } },
  graphql: { on: 'Query', name: 'clusters', description: 'The clusters, by name.' },
});

export const getCluster = question({
  id: 'clusters.get',
  summary: 'Read a cluster',
  description: 'One cluster, with its labels and its newest revision.',
  method: 'GET',
  path: 'clusters/{cluster}',
  permission: 'read',
  response: cluster,
  statuses: { 200: 'The cluster.' },
  errors: ['cluster-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Query',
    name: 'cluster',
    cluster: BY_NAME,
    description: 'One cluster; null and an error with the code cluster-not-found if there is none.',
  },
});

export const deleteCluster = question({
  id: 'clusters.delete',
  summary: 'Delete a cluster',
  description: 'Deletes a cluster with all of its revisions, and says what was removed.',
  method: 'DELETE',
  path: 'clusters/{cluster}',
  permission: 'admin',
  response: deletedCluster,
  statuses: { 200: 'What was removed.' },
  errors: ['cluster-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Mutation',
    name: 'deleteCluster',
    input: { description: 'Which cluster.' },
    description: 'Deletes a cluster with all of its revisions.',
  },
});
