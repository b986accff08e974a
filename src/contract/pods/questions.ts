import { GIVEN_TAINT } from '../common/given.js';
import { answerBasis } from '../common/basis.js';
import { ALLOWED_FILTERS, POD_FILTERS } from '../common/filter-options.js';
import { LIST_ERRORS, READ_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { pod, podAnswer, tolerationSet } from './pod.js';
import { allowedPods, podsAllowedHead, podsAllowedRequest } from './pods-allowed.js';

const HEAD = { basis: { type: answerBasis, description: 'What the answer rests on.' } } as const;

const allowed = list({
  name: 'PodsAllowedList',
  item: allowedPods,
  itemsDescription: 'By namespace, kind and name of the workload.',
  head: podsAllowedHead.members,
  connection: { name: 'AllowedPods', description: 'Pods by workload, apart for what they lack.' },
});

export const listPods = question({
  id: 'pods.list',
  summary: 'List pods',
  description: 'The pods of a revision by namespace and name, those that every given filter picks, page by page.',
  method: 'GET',
  path: 'clusters/{cluster}/pods',
  permission: 'read',
  readsRevision: true,
  query: POD_FILTERS,
  response: list({
    name: 'PodList',
    item: pod,
    itemsDescription: 'The pods, by namespace and name.',
    head: HEAD,
    connection: { name: 'Pod', description: 'Pods, by namespace and name.' },
  }),
  csv: {},
  statuses: { 200: 'A page of pods.' },
  errors: LIST_ERRORS,
  examples: { parameters: { cluster: 'example', phase: 'Running', limit: 10 } },
  graphql: {
    on: 'Cluster',
    name: 'pods',
    description: 'Its pods by namespace and name, those that every filter picks.',
  },
});

export const getPod = question({
  id: 'pods.get',
  summary: 'Read a pod',
  description: 'One pod of a revision: where it is, what it tolerates, what it requests.',
  method: 'GET',
  path: 'clusters/{cluster}/pods/{namespace}/{pod}',
  variables: {
    namespace: { in: 'namespace', description: 'The namespace of the pod.' },
    name: { in: 'pod', description: 'The name of the pod.' },
  },
  permission: 'read',
  readsRevision: true,
  response: podAnswer,
  statuses: { 200: 'The pod.' },
  errors: [...READ_ERRORS, 'object-not-found'],
  examples: { parameters: { cluster: 'example', namespace: 'default', pod: 'web-0' } },
  graphql: {
    on: 'Cluster',
    name: 'pod',
    description: 'One pod; null and an error with the code object-not-found if there is none.',
    member: 'pod',
  },
});

export const listTolerationSets = question({
  id: 'pods.tolerationSets',
  summary: 'List the distinct lists of tolerations',
  description: 'Each distinct list of tolerations with the number of pods and workloads that have exactly it.',
  method: 'GET',
  path: 'clusters/{cluster}/toleration-sets',
  permission: 'read',
  readsRevision: true,
  response: list({
    name: 'TolerationSetList',
    item: tolerationSet,
    itemsDescription: 'The lists, the most frequent first.',
    head: HEAD,
    connection: { name: 'TolerationSet', description: 'Distinct lists of tolerations, the most frequent first.' },
  }),
  statuses: { 200: 'A page of them, the most frequent first.' },
  errors: LIST_ERRORS,
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: {
    on: 'Cluster',
    name: 'tolerationSets',
    description: 'Each distinct list of tolerations, and the pods that have it.',
  },
});

export const listPodsAllowedByTaints = question({
  id: 'pods.podsAllowed',
  summary: 'Ask which pods tolerate taints before anybody sets them',
  description:
    'Which pods of the cluster, by workload, would tolerate a node with these taints, and what the others lack.',
  method: 'POST',
  path: 'clusters/{cluster}/pods-allowed',
  permission: 'read',
  readsRevision: true,
  query: ALLOWED_FILTERS,
  body: { type: podsAllowedRequest, description: 'The taints.' },
  response: allowed,
  statuses: { 200: 'By workload.' },
  errors: [...LIST_ERRORS, 'invalid-object'],
  examples: {
    parameters: { cluster: 'example', allowed: false },
    body: { taints: ['dedicated=gpu:NoSchedule'] },
  },
  graphql: {
    on: 'Cluster',
    name: 'podsAllowed',
    description: 'Which of its pods tolerate a node, or taints before anybody sets them, and what the others lack.',
    arguments: {
      node: { type: 'string', optional: true, description: 'A stored node; or give taints.' },
      taints: {
        type: GIVEN_TAINT,
        list: true,
        optional: true,
        maximumLength: 100,
        description: "Taints, in kubectl's syntax or as objects with key, value and effect; or give a node.",
      },
    },
  },
});

export const listPodsAllowedByNode = question({
  id: 'nodes.podsAllowed',
  summary: 'Ask which pods tolerate a node',
  description:
    'Which pods of the cluster, by workload, tolerate the taints of this node, its cordon included, and what the others ' +
    'lack. Whether they would fit it otherwise is not asked.',
  method: 'GET',
  path: 'clusters/{cluster}/nodes/{node}/pods-allowed',
  variables: { node: { in: 'node', description: 'The node.' } },
  permission: 'read',
  readsRevision: true,
  query: ALLOWED_FILTERS,
  response: allowed,
  statuses: { 200: 'By workload.' },
  errors: [...LIST_ERRORS, 'object-not-found'],
  examples: { parameters: { cluster: 'example', node: 'node-1', allowed: false } },
});
