import { list, question } from '../question.js';
import { clusterAccess } from './access.js';
import { cluster, deletedCluster, putClusterInput } from './cluster.js';

const PARAMETERS = { cluster: 'example' } as const;
const BY_NAME = { argument: 'name', description: 'Cluster name.' } as const;

export const putCluster = question({
  id: 'clusters.put',
  summary: 'Create or label a cluster',
  description: 'Creates a cluster, or replaces the labels of an existing one. Idempotent.',
  method: 'PUT',
  path: 'clusters/{cluster}',
  permission: 'admin',
  body: { type: putClusterInput, description: 'The labels.', required: false },
  response: cluster,
  statuses: { 200: 'The cluster already existed.', 201: 'The cluster was created.' },
  errors: [],
  examples: { parameters: PARAMETERS, body: { labels: { env: 'prod' } } },
  graphql: {
    on: 'Mutation',
    name: 'putCluster',
    input: { description: 'The cluster and its labels.' },
    description: 'Creates a cluster, or replaces the labels of an existing one.',
  },
});

export const listClusters = question({
  id: 'clusters.list',
  summary: 'List clusters',
  description: 'Lists the clusters, by name.',
  method: 'GET',
  path: 'clusters',
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
  description: 'One cluster, with its labels and newest revision.',
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
    description: 'One cluster; null and the error `cluster-not-found` if it does not exist.',
  },
});

export const readAccess = question({
  id: 'clusters.access',
  summary: 'Read what is missing for changes',
  description:
    'Returns whether the caller may act for others and sees taint values, and what is missing for having changes written to the cluster: for a client that shows beforehand what would be refused. `GET /caller` has the permissions.',
  method: 'GET',
  path: 'clusters/{cluster}/access',
  permission: 'read',
  query: {
    apply: {
      type: 'boolean',
      optional: true,
      defaultsTo: false,
      description: 'Also ask the API server of the cluster whether changes can be written there.',
    },
  },
  response: clusterAccess,
  statuses: { 200: 'The permissions.' },
  errors: ['cluster-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Cluster',
    name: 'access',
    description: 'What decides on changes that the caller makes, besides permissions.',
  },
});

export const deleteCluster = question({
  id: 'clusters.delete',
  summary: 'Delete a cluster',
  description: 'Deletes a cluster with all of its revisions, and returns what was deleted.',
  method: 'DELETE',
  path: 'clusters/{cluster}',
  permission: 'admin',
  response: deletedCluster,
  statuses: { 200: 'What was deleted.' },
  errors: ['cluster-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Mutation',
    name: 'deleteCluster',
    input: { description: 'The cluster.' },
    description: 'Deletes a cluster with all of its revisions.',
  },
});
