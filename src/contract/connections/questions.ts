import { question } from '../question.js';
import { connection, connectionInput, deletedConnection, EXAMPLE_KUBECONFIG } from './connection.js';

const PATH = 'clusters/{cluster}/connection';
const PARAMETERS = { cluster: 'example' } as const;

export const readConnection = question({
  id: 'connections.read',
  summary: 'Read the connection',
  description:
    'How the service reaches the API server of a cluster, whether it answers just now, which permissions are missing, and how it is followed.',
  method: 'GET',
  path: PATH,
  permission: 'read',
  beyondRevision: true,
  response: connection,
  statuses: { 200: 'The connection.' },
  errors: ['cluster-not-found', 'connection-not-found', 'connections-not-configured'],
  examples: { parameters: PARAMETERS },
  graphql: { on: 'Cluster', name: 'connection', description: 'How the service reaches the API server.' },
});

export const putConnection = question({
  id: 'connections.put',
  summary: 'Connect a cluster',
  description:
    'Replaces the connection of a cluster to its API server. Credentials are stored encrypted and are never shown. The service only reads; with `follow` it follows the cluster, with `dryRuns` it sends dry runs when a question asks for that, and with `writes` it writes the taint changes that it is told to apply.',
  method: 'PUT',
  path: PATH,
  permission: 'admin',
  body: { type: connectionInput, description: 'The connection.' },
  response: connection,
  statuses: { 200: 'The connection.' },
  errors: ['cluster-not-found', 'connections-not-configured'],
  examples: { parameters: PARAMETERS, body: { kubeconfig: EXAMPLE_KUBECONFIG, dryRuns: true, writes: true } },
  graphql: {
    on: 'Mutation',
    name: 'putConnection',
    description: 'Connects a cluster to its API server.',
    input: { type: 'PutConnectionInput', description: 'The connection.' },
  },
});

export const deleteConnection = question({
  id: 'connections.delete',
  summary: 'Disconnect a cluster',
  description: 'Deletes the connection of a cluster with its credentials. Idempotent.',
  method: 'DELETE',
  path: PATH,
  permission: 'admin',
  response: deletedConnection,
  statuses: { 200: 'There is no connection any longer.' },
  errors: ['cluster-not-found'],
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Mutation',
    name: 'deleteConnection',
    description: 'Deletes the connection of a cluster.',
    input: { type: 'DeleteConnectionInput', description: 'The cluster.' },
  },
});
