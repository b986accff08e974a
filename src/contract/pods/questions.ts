import { GIVEN_TAINT } from '../common/given.js';
import { answerBasis } from '../common/basis.js';
import { ALLOWED_FILTERS, POD_FILTERS } from '../common/filter-options.js';
import { LIST_ERRORS, READ_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import { pod, podAnswer, tolerationSet } from './pod.js';
import { allowedPods, podsAllowedHead, podsAllowedRequest } from './pods-allowed.js';

const HEAD = {
  basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
} as const;

const allowed = list({
  name: 'PodsAllowedList',
  item: allowedPods,
  itemsDescription: 'The entries, by namespace, kind and name of the workload.',
  head: podsAllowedHead.members,
  connection: { name: 'AllowedPods', description: 'Pods by workload and by the taints that they do not tolerate.' },
});

export const listPods = question({
  id: 'pods.list',
  summary: 'List pods',
  description: 'Lists the pods of a revision that match all filters, by namespace and name.',
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
    description: 'The pods that match all filters, by namespace and name.',
  },
});

export const getPod = question({
  id: 'pods.get',
  summary: 'Read a pod',
  description: 'One pod of a revision, with its node, tolerations and requests.',
  method: 'GET',
  path: 'clusters/{cluster}/pods/{namespace}/{pod}',
  variables: {
    namespace: { in: 'namespace', description: 'Pod namespace.' },
    name: { in: 'pod', description: 'Pod name.' },
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
    description: 'One pod; null and the error `object-not-found` if it does not exist.',
    member: 'pod',
  },
});

export const listTolerationSets = question({
  id: 'pods.tolerationSets',
  summary: 'List distinct toleration lists',
  description:
    'Lists each distinct list of tolerations, with the number of pods and workloads that have exactly this list.',
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
  statuses: { 200: 'A page of lists, the most frequent first.' },
  errors: LIST_ERRORS,
  examples: { parameters: { cluster: 'example', limit: 10 } },
  graphql: {
    on: 'Cluster',
    name: 'tolerationSets',
    description: 'Distinct lists of tolerations, with the pods that have them.',
  },
});

export const listPodsAllowedByTaints = question({
  id: 'pods.podsAllowed',
  summary: 'Check which pods tolerate taints before they are set',
  description:
    'Lists, by workload, which pods would tolerate a node with these taints, and which taints the others do not tolerate.',
  method: 'POST',
  path: 'clusters/{cluster}/pods-allowed',
  permission: 'read',
  readsRevision: true,
  query: ALLOWED_FILTERS,
  body: { type: podsAllowedRequest, description: 'The taints.' },
  response: allowed,
  statuses: { 200: 'A page of entries.' },
  errors: [...LIST_ERRORS, 'invalid-object'],
  examples: {
    parameters: { cluster: 'example', allowed: false },
    body: { taints: ['dedicated=gpu:NoSchedule'] },
  },
  graphql: {
    on: 'Cluster',
    name: 'podsAllowed',
    description:
      'Which pods tolerate a node, or taints before they are set, and which taints the others do not tolerate.',
    arguments: {
      node: {
        type: 'identifier',
        optional: true,
        description: 'A stored node. Exactly one of `node` and `taints` is required.',
      },
      taints: {
        type: GIVEN_TAINT,
        list: true,
        optional: true,
        maximumLength: 100,
        description: 'Taints, in kubectl syntax or as objects with key, value and effect.',
      },
    },
  },
});

export const listPodsAllowedByNode = question({
  id: 'nodes.podsAllowed',
  summary: 'Check which pods tolerate a node',
  description:
    'Lists, by workload, which pods tolerate the taints and the cordon of this node, and which taints the others do not ' +
    'tolerate. Other filters are not evaluated.',
  method: 'GET',
  path: 'clusters/{cluster}/nodes/{node}/pods-allowed',
  variables: { node: { in: 'node', description: 'The node.' } },
  permission: 'read',
  readsRevision: true,
  query: ALLOWED_FILTERS,
  response: allowed,
  statuses: { 200: 'A page of entries.' },
  errors: [...LIST_ERRORS, 'object-not-found'],
  examples: { parameters: { cluster: 'example', node: 'node-1', allowed: false } },
});
