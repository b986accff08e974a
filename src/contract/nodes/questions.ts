import { answerBasis } from '../common/basis.js';
import { NODE_FILTERS } from '../common/filter-options.js';
import { LIST_ERRORS, READ_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { node, nodeAnswer, searchNodesRequest } from './node.js';

const { untoleratedBy, ...SEARCH_FILTERS } = NODE_FILTERS;

const nodes = list({
  name: 'NodeList',
  item: node,
  itemsDescription: 'The nodes, by name.',
  head: { basis: { type: answerBasis, description: 'What the answer rests on.' } },
  connection: { name: 'Node', description: 'Nodes, by name.' },
});

export const listNodes = question({
  id: 'nodes.list',
  summary: 'List nodes',
  description: 'The nodes of a revision by name, those that every given filter picks, page by page.',
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
    description: 'Its nodes by name, those that every given filter picks.',
    arguments: {
      untoleratedByManifest: {
        type: 'kubernetesObject',
        optional: true,
        description: 'The same as untoleratedBy for the manifest of a pod or of a workload; give one of the two.',
      },
    },
    hasLazyFields: true,
  },
});

export const searchNodes = question({
  id: 'nodes.search',
  summary: 'Search nodes that a pod does not tolerate',
  description:
    'The nodes of a revision that have a taint which keeps a pod off, for a manifest that need not be stored. What its ' +
    'controller and its RuntimeClass add to its tolerations counts.',
  method: 'POST',
  path: 'clusters/{cluster}/nodes/search',
  permission: 'read',
  readsRevision: true,
  query: SEARCH_FILTERS,
  body: { type: searchNodesRequest, description: 'The manifest.' },
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
  description: 'One node of a revision: its taints explained, its resources and what its pods request of them.',
  method: 'GET',
  path: 'clusters/{cluster}/nodes/{node}',
  variables: { name: { in: 'node', description: 'The name of the node.' } },
  permission: 'read',
  readsRevision: true,
  response: nodeAnswer,
  statuses: { 200: 'The node.' },
  errors: [...READ_ERRORS, 'object-not-found'],
  examples: { parameters: { cluster: 'example', node: 'node-1' } },
  graphql: {
    on: 'Cluster',
    name: 'node',
    description: 'One node; an error with the code object-not-found if there is none.',
    member: 'node',
    hasLazyFields: true,
  },
});
