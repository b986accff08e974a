import { ADMISSION } from '../common/admission-mode.js';
import { answerBasis } from '../common/basis.js';
import type { ErrorCode } from '../error-code.js';
import { LIST_ERRORS, READ_ERRORS } from '../errors.js';
import { list, question } from '../question.js';
import {
  ALLOCATION_FILTERS,
  namedOverhead,
  nodeAllocationHead,
  nodeAllocationSummary,
  OVERHEAD_BY,
  overheadCostsHead,
  podAllocation,
} from './allocation.js';
import { podResources } from './pod-resources.js';
import { podResourcesInput, resourcesOptions } from './pod-resources-request.js';

const POD_ERRORS: readonly ErrorCode[] = [...READ_ERRORS, 'invalid-object', 'object-not-found'];

export const explainPodResources = question({
  id: 'resources.podResources',
  summary: 'Ask what a pod costs, from admission to its cgroup',
  description:
    'For a manifest, a stored pod or a workload: the overhead that admission puts in, effective requests and limits with every sum spelled out, the class of quality of service and why, a resize in place, what the scheduler counts, the line in the table of its node, the charge to quotas, the files and the place of its cgroup, and its metrics. Nothing is stored.',
  method: 'POST',
  path: 'clusters/{cluster}/pod-resources',
  permission: 'evaluate',
  readsRevision: true,
  restQuery: { admission: ADMISSION },
  body: { type: podResourcesInput, description: 'Which pod, on what a kubelet.' },
  response: podResources,
  statuses: { 200: 'What it costs.' },
  errors: [...POD_ERRORS, 'admission-refused'],
  examples: {
    parameters: { cluster: 'example' },
    body: {
      pod: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web' },
        spec: { containers: [{ name: 'web', image: 'nginx', resources: { requests: { cpu: '250m' } } }] },
      },
      node: 'node-1',
      cgroupDriver: 'systemd',
      cgroupVersion: 'v2',
    },
  },
  graphql: {
    on: 'Cluster',
    name: 'podResources',
    description: 'What a pod costs, at every place that counts it, from admission to its cgroup.',
    input: { description: 'Which pod, on what a kubelet.' },
  },
});

export const explainStoredPodResources = question({
  id: 'resources.storedPodResources',
  summary: 'Ask what a stored pod costs',
  description:
    'The same for a stored pod; `format=describe`, or `Accept: text/plain`, gives its tolerations as kubectl describe prints them.',
  method: 'GET',
  path: 'clusters/{cluster}/pods/{namespace}/{pod}/resources',
  variables: {
    namespace: { in: 'namespace', description: 'The namespace of the pod.' },
    name: { in: 'pod', description: 'The name of the pod.' },
  },
  permission: 'read',
  readsRevision: true,
  beyondRevision: true,
  query: resourcesOptions.members,
  response: podResources,
  statuses: { 200: 'What it costs.' },
  errors: POD_ERRORS,
  examples: { parameters: { cluster: 'example', namespace: 'default', pod: 'web' } },
  textField: {
    on: 'Cluster',
    name: 'describePod',
    description: "A stored pod's tolerations, as kubectl describe prints them.",
    format: 'describe',
  },
});

export const readNodeAllocation = question({
  id: 'resources.nodeAllocation',
  summary: 'Read what the pods of a node hold of it',
  description:
    "The tables of kubectl describe node as numbers, and what is free as the scheduler counts it. `format=describe`, or `Accept: text/plain`, gives the node's taints and both tables as kubectl prints them.",
  method: 'GET',
  path: 'clusters/{cluster}/nodes/{node}/allocation',
  variables: { node: { in: 'node', description: 'The node.' } },
  permission: 'read',
  readsRevision: true,
  response: list({
    name: 'NodeAllocationResponse',
    item: podAllocation,
    itemsDescription: 'The pods, by namespace and name.',
    head: nodeAllocationHead.members,
    connection: {
      name: 'PodAllocation',
      description: 'Pods of a node, by namespace and name.',
      within: {
        name: 'NodeAllocation',
        description: 'What the pods of a node hold of it, pod by pod.',
        member: 'pods',
        memberDescription: 'The pods: the page that was asked for.',
      },
    },
  }),
  statuses: { 200: 'What they hold.' },
  errors: [...LIST_ERRORS, 'object-not-found'],
  examples: { parameters: { cluster: 'example', node: 'node-1', limit: 10 } },
  graphql: {
    on: 'Cluster',
    name: 'nodeAllocation',
    description: 'What the pods of a node hold of it; `first` and `after` choose among them.',
  },
  textField: {
    on: 'Cluster',
    name: 'describeNode',
    description: "A node's taints and the tables of its pods and resources, as kubectl describe prints them.",
    format: 'describe',
  },
});

export const listAllocations = question({
  id: 'resources.allocations',
  summary: 'List what the pods of each node hold of it',
  description: 'The nodes with the sums of their pods and what is free, by name, or the freest of a resource first.',
  method: 'GET',
  path: 'clusters/{cluster}/allocations',
  permission: 'read',
  readsRevision: true,
  query: ALLOCATION_FILTERS,
  response: list({
    name: 'AllocationList',
    item: nodeAllocationSummary,
    itemsDescription: 'The nodes.',
    head: { basis: { type: answerBasis, description: 'What the answer rests on.' } },
    connection: {
      name: 'NodeAllocation',
      edgeName: 'NodeAllocationSummary',
      description: 'Nodes and what their pods hold of them.',
    },
  }),
  statuses: { 200: 'A page of nodes.' },
  errors: LIST_ERRORS,
  examples: { parameters: { cluster: 'example', freest: 'cpu', limit: 10 } },
  graphql: { on: 'Cluster', name: 'allocations', description: 'What the pods of each node hold of it.' },
});

export const readOverheadCosts = question({
  id: 'resources.overheadCosts',
  summary: 'Read what the overhead of pods costs',
  description: 'What overhead costs the cluster, and each runtime class, namespace or node.',
  method: 'GET',
  path: 'clusters/{cluster}/overhead-costs',
  permission: 'read',
  readsRevision: true,
  query: { by: OVERHEAD_BY },
  response: list({
    name: 'OverheadCostList',
    item: namedOverhead,
    itemsDescription: 'What overhead costs each, by name.',
    head: overheadCostsHead.members,
    connection: {
      name: 'NamedOverhead',
      description: 'What overhead costs each, by name.',
      within: {
        name: 'OverheadCosts',
        description: 'What the overhead of pods costs.',
        member: 'items',
        memberDescription: 'What it costs each: the page that was asked for.',
      },
    },
  }),
  statuses: { 200: 'What it costs.' },
  errors: LIST_ERRORS,
  examples: { parameters: { cluster: 'example', by: 'namespace', limit: 10 } },
  graphql: { on: 'Cluster', name: 'overheadCosts', description: 'What the overhead of its pods costs.' },
});
