import { answerBasis } from '../common/basis.js';
import { NODE_FILTERS } from '../common/filter-options.js';
import { LIST_ERRORS, READ_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { nodeGroups, GROUPED_BY } from './node-groups.js';
import { nodeSummary } from './node-summary.js';
import { node, nodeAnswer, searchNodesRequest } from './node.js';

const { untoleratedBy, ...SEARCH_FILTERS } = NODE_FILTERS;

const nodes = list({
  name: 'NodeList',
  item: node,
  itemsDescription: 'The nodes, by name.',
  head: { basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' } },
  connection: { name: 'KubernetesNode', description: 'Nodes, by name.' },
});

export const listNodes = question({
  id: 'nodes.list',
  summary: 'List nodes',
  description: 'Lists the nodes of a revision that match all filters, by name.',
  method: 'GET',
  path: 'clusters/{cluster}/nodes',
  permission: 'read',
  readsRevision: true,
  query: { ...SEARCH_FILTERS, untoleratedBy },
  response: nodes,
  csv: {},
  statuses: { 200: 'A page of nodes.' },
  errors: [...LIST_ERRORS, 'object-not-found'],
  examples: { parameters: { cluster: 'example', taint: 'dedicated', limit: 10 } },
  graphql: {
    on: 'Cluster',
    name: 'nodes',
    description: 'The nodes that match all filters, by name.',
    arguments: {
      untoleratedByManifest: {
        type: 'kubernetesObject',
        optional: true,
        description:
          'Same as `untoleratedBy`, but for a manifest of a pod or workload. Mutually exclusive with `untoleratedBy`.',
      },
    },
  },
});

export const searchNodes = question({
  id: 'nodes.search',
  summary: 'Search for nodes that a pod does not tolerate',
  description:
    'Lists the nodes of a revision with a taint that repels a pod, given as a manifest. Tolerations that its controller and ' +
    'its RuntimeClass add are taken into account.',
  method: 'POST',
  path: 'clusters/{cluster}/nodes/search',
  permission: 'read',
  readsRevision: true,
  query: SEARCH_FILTERS,
  body: { type: searchNodesRequest, description: 'The manifest.', manifest: { member: 'pod' } },
  response: nodes,
  csv: {},
  statuses: { 200: 'A page of nodes.' },
  errors: [...LIST_ERRORS, 'invalid-object', 'admission-refused', 'object-not-found'],
  examples: {
    parameters: { cluster: 'example', limit: 10 },
    body: {
      pod: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'job' },
        spec: { containers: [{ name: 'main', image: 'busybox' }], tolerations: [{ operator: 'Exists' }] },
      },
    },
  },
});

export const getNode = question({
  id: 'nodes.get',
  summary: 'Read a node',
  description: 'One node of a revision: its taints with explanations, its resources, and what its pods request.',
  method: 'GET',
  path: 'clusters/{cluster}/nodes/{node}',
  variables: { name: { in: 'node', description: 'Name of the node.' } },
  permission: 'read',
  readsRevision: true,
  response: nodeAnswer,
  statuses: { 200: 'The node.' },
  errors: [...READ_ERRORS, 'object-not-found'],
  examples: { parameters: { cluster: 'example', node: 'node-1' } },
  graphql: {
    on: 'Cluster',
    name: 'node',
    description: 'One node; null and the error `object-not-found` if it does not exist.',
    member: 'node',
  },
});

export const readNodeSummary = question({
  id: 'nodes.summary',
  summary: 'Read a node with its pods',
  description:
    'One node for a page about it: its room by resource, its pods, and what its taints mean for each of them.',
  method: 'GET',
  path: 'clusters/{cluster}/nodes/{node}/summary',
  variables: { name: { in: 'node', description: 'Name of the node.' } },
  permission: 'read',
  readsRevision: true,
  response: nodeSummary,
  statuses: { 200: 'The node.' },
  errors: [...READ_ERRORS, 'object-not-found'],
  examples: { parameters: { cluster: 'example', node: 'node-1' } },
  graphql: {
    on: 'Cluster',
    name: 'nodeSummary',
    description: 'One node with its room and its pods, and what its taints mean for them.',
  },
});

export const readNodeGroups = question({
  id: 'nodes.groups',
  summary: 'Read the nodes in groups',
  description: 'The nodes in groups with the same taints or of the same pool, with their names and their room.',
  method: 'GET',
  path: 'clusters/{cluster}/node-groups',
  permission: 'read',
  readsRevision: true,
  query: { by: { type: GROUPED_BY, optional: true, defaultsTo: 'taints', description: GROUPED_BY.description } },
  response: nodeGroups,
  statuses: { 200: 'The groups.' },
  errors: READ_ERRORS,
  examples: { parameters: { cluster: 'example', by: 'pool' } },
  graphql: { on: 'Cluster', name: 'nodeGroups', description: 'The nodes in groups by taints or by pool.' },
});
