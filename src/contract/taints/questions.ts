import { answerBasis } from '../common/basis.js';
import { taintKey, taintSet } from '../common/taint.js';
import { LIST_ERRORS } from '../errors.js';
import { across, list, question } from '../question.js';
import { wellKnownTaint } from './well-known-taint.js';

const HEAD = {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
} as const;
const PARAMETERS = { cluster: 'example', limit: 10 } as const;

const inventory = list({
  name: 'TaintInventory',
  item: taintKey,
  itemsDescription: 'The taint keys, sorted.',
  head: HEAD,
  connection: { name: 'TaintKey', description: 'Taint keys.' },
});

export const listTaintSets = question({
  id: 'taints.sets',
  summary: 'List distinct taint lists',
  description:
    'Lists each distinct list of taints, with the number of nodes that have exactly this list; untainted nodes are included.',
  method: 'GET',
  path: 'clusters/{cluster}/taint-sets',
  permission: 'read',
  readsRevision: true,
  response: list({
    name: 'TaintSetList',
    item: taintSet,
    itemsDescription: 'The lists, the most frequent first.',
    head: HEAD,
    connection: { name: 'TaintSet', description: 'Distinct lists of taints, the most frequent first.' },
  }),
  statuses: { 200: 'A page of lists, the most frequent first.' },
  errors: LIST_ERRORS,
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Cluster',
    name: 'taintSets',
    description: 'Distinct lists of taints, with the nodes that have them.',
  },
});

export const takeTaintInventory = question({
  id: 'taints.inventory',
  summary: 'Read the taint inventory',
  description: 'The taints of a cluster by key: values, effects, nodes, catalogue summary, and what tolerates them.',
  method: 'GET',
  path: 'clusters/{cluster}/taints',
  permission: 'read',
  readsRevision: true,
  response: inventory,
  statuses: { 200: 'A page of keys.' },
  errors: LIST_ERRORS,
  examples: { parameters: PARAMETERS },
  graphql: { on: 'Cluster', name: 'taints', description: 'The inventory of taints by key.' },
});

export const takeTaintInventories = question({
  id: 'taints.inventoryAcross',
  summary: 'Read the taint inventories of several clusters',
  description: 'The taint inventory of each cluster that a selector matches, with its own basis or error.',
  method: 'GET',
  path: 'taints',
  permission: 'read',
  clusters: 'each',
  readsRevision: true,
  response: across({
    name: 'TaintsAcross',
    each: inventory,
    cluster: {
      name: 'ClusterTaints',
      description: 'The taints of one cluster, or its error.',
      member: 'taints',
    },
  }),
  statuses: { 200: 'A page of clusters.' },
  errors: ['invalid-continue-token'],
  examples: { parameters: { clusterSelector: 'env=prod', limit: 10 } },
  graphql: { on: 'Query', name: 'taints', description: 'The taint inventory of each cluster that a selector matches.' },
});

export const readTaintCatalogue = question({
  id: 'taints.catalogue',
  summary: 'Read the catalogue of well-known taints',
  description:
    'The taint keys that Kubernetes and widely used products set, including legacy keys: what sets them, when, with which ' +
    'effect, in which versions, and what removes them. Kubernetes itself compares keys as plain strings.',
  method: 'GET',
  path: 'well-known-taints',
  permission: 'any caller',
  query: {
    key: {
      type: 'identifier',
      optional: true,
      description: 'Only entries for this key; none if the key is not in the catalogue.',
      example: 'node.kubernetes.io/not-ready',
    },
  },
  response: list({
    name: 'Catalogue',
    item: wellKnownTaint,
    itemsDescription: 'The entries.',
    head: {},
    connection: { name: 'WellKnownTaint', description: 'Entries of the catalogue of well-known taints.' },
  }),
  statuses: { 200: 'A page of entries.' },
  errors: ['invalid-continue-token'],
  examples: { parameters: { key: 'node.kubernetes.io/not-ready' } },
  graphql: { on: 'Query', name: 'wellKnownTaints', description: 'The catalogue of well-known taint keys.' },
});
