import { answerBasis } from '../common/basis.js';
import { taintKey, taintSet } from '../common/taint.js';
import { LIST_ERRORS } from '../errors.js';
import { across, list, question } from '../question.js';
import { wellKnownTaint } from './well-known-taint.js';

const HEAD = { basis: { type: answerBasis, description: 'What the answer rests on.' } } as const;
const PARAMETERS = { cluster: 'example', limit: 10 } as const;

const inventory = list({
  name: 'TaintInventory',
  item: taintKey,
  itemsDescription: 'By key.',
  head: HEAD,
  connection: { name: 'TaintKey', description: 'Taint keys.' },
});

export const listTaintSets = question({
  id: 'taints.sets',
  summary: 'List the distinct lists of taints',
  description: 'Each distinct list of taints with the number of nodes that carry exactly it, untainted nodes included.',
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
  statuses: { 200: 'A page of them, the most frequent first.' },
  errors: LIST_ERRORS,
  examples: { parameters: PARAMETERS },
  graphql: {
    on: 'Cluster',
    name: 'taintSets',
    description: 'Each distinct list of taints, and the nodes that carry it.',
  },
});

export const takeTaintInventory = question({
  id: 'taints.inventory',
  summary: 'Take the inventory of taints',
  description:
    'The taints of a cluster by key: values, effects, nodes, what is known of the key, and who tolerates it.',
  method: 'GET',
  path: 'clusters/{cluster}/taints',
  permission: 'read',
  readsRevision: true,
  response: inventory,
  statuses: { 200: 'A page of keys.' },
  errors: LIST_ERRORS,
  examples: { parameters: PARAMETERS },
  graphql: { on: 'Cluster', name: 'taints', description: 'The inventory of its taints by key.' },
});

export const takeTaintInventories = question({
  id: 'taints.inventoryAcross',
  summary: 'Take the inventory of taints of several clusters',
  description: 'The inventory of each cluster that a selector picks, with its own basis, or with its own error.',
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
      description: "One cluster's taints, or why it has no answer.",
      member: 'taints',
    },
  }),
  statuses: { 200: 'A page of clusters.' },
  errors: ['invalid-continue-token'],
  examples: { parameters: { clusterSelector: 'env=prod', limit: 10 } },
  graphql: { on: 'Query', name: 'taints', description: 'The inventory of taints of each cluster of a selector.' },
});

export const readTaintCatalogue = question({
  id: 'taints.catalogue',
  summary: 'Read the catalogue of well-known taints',
  description:
    'The taint keys that Kubernetes and widely used products set, legacy ones included: who sets them, when, with which ' +
    'effect, since and until which version, and who takes them off. Kubernetes itself compares keys as plain strings.',
  method: 'GET',
  path: 'well-known-taints',
  permission: 'any caller',
  query: {
    key: {
      type: 'string',
      optional: true,
      description: 'Only what explains this key; nothing where nobody here knows it.',
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
