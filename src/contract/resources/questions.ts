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
  summary: 'Explain the resources of a pod',
  description:
    'For a manifest, a stored pod or a workload: returns the overhead set by admission, effective requests and ' +
    'limits with every sum, the QoS class and why, the state of an in-place resize, what the scheduler counts, the ' +
    'row in the table of the node, the charge to quotas, path and files of the cgroup, and metrics. Nothing is ' +
    'stored.',
  method: 'POST',
  path: 'clusters/{cluster}/pod-resources',
  permission: 'evaluate',
  readsRevision: true,
  restQuery: { admission: ADMISSION },
  body: {
    type: podResourcesInput,
    description: 'The pod, and options of its kubelet.',
    manifest: { member: 'pod' },
  },
  response: podResources,
  statuses: { 200: "The pod's resources." },
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
    description: 'The cost of a pod at every place that counts it, from admission to its cgroup.',
    input: { description: 'The pod, and options of its kubelet.' },
  },
});

export const explainStoredPodResources = question({
  id: 'resources.storedPodResources',
  summary: 'Explain the resources of a stored pod',
  description:
    'Returns for a stored pod what `POST clusters/{cluster}/pod-resources` returns. `format=describe`, or `Accept: text/plain`, returns its tolerations as printed by kubectl describe.',
  method: 'GET',
  path: 'clusters/{cluster}/pods/{namespace}/{pod}/resources',
  variables: {
    namespace: { in: 'namespace', description: 'Pod namespace.' },
    name: { in: 'pod', description: 'Pod name.' },
  },
  permission: 'read',
  readsRevision: true,
  beyondRevision: true,
  query: resourcesOptions.members,
  response: podResources,
  statuses: { 200: "The pod's resources." },
  errors: POD_ERRORS,
  examples: { parameters: { cluster: 'example', namespace: 'default', pod: 'web' } },
  textField: {
    on: 'Cluster',
    name: 'describePod',
    description: "A stored pod's tolerations, as printed by kubectl describe.",
    format: 'describe',
  },
});

export const readNodeAllocation = question({
  id: 'resources.nodeAllocation',
  summary: 'Get the allocation of a node',
  description:
    'Returns the tables of kubectl describe node as numbers, and the free amounts as the scheduler counts them. ' +
    "`format=describe`, or `Accept: text/plain`, returns the node's taints and both tables as printed by kubectl.",
  method: 'GET',
  path: 'clusters/{cluster}/nodes/{node}/allocation',
  variables: { node: { in: 'node', description: 'Node name.' } },
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
        description: 'The allocation of a node by pod.',
        member: 'pods',
        memberDescription: 'The requested page of pods.',
      },
    },
  }),
  statuses: { 200: 'The allocation.' },
  errors: [...LIST_ERRORS, 'object-not-found'],
  examples: { parameters: { cluster: 'example', node: 'node-1', limit: 10 } },
  graphql: {
    on: 'Cluster',
    name: 'nodeAllocation',
    description: 'The allocation of a node; `first` and `after` page through its pods.',
  },
  textField: {
    on: 'Cluster',
    name: 'describeNode',
    description: "A node's taints and the tables of its pods and resources, as printed by kubectl describe.",
    format: 'describe',
  },
});

export const listAllocations = question({
  id: 'resources.allocations',
  summary: 'List the allocations of nodes',
  description:
    'Returns the nodes with the totals of their pods and the free amounts, by name, or the freest of a resource ' +
    'first.',
  method: 'GET',
  path: 'clusters/{cluster}/allocations',
  permission: 'read',
  readsRevision: true,
  query: ALLOCATION_FILTERS,
  response: list({
    name: 'AllocationList',
    item: nodeAllocationSummary,
    itemsDescription: 'The nodes.',
    head: { basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' } },
    connection: {
      name: 'NodeAllocation',
      edgeName: 'NodeAllocationSummary',
      description: 'Nodes with their allocation.',
    },
  }),
  statuses: { 200: 'A page of nodes.' },
  errors: LIST_ERRORS,
  examples: { parameters: { cluster: 'example', freest: 'cpu', limit: 10 } },
  graphql: { on: 'Cluster', name: 'allocations', description: 'The allocation of each node.' },
});

export const readOverheadCosts = question({
  id: 'resources.overheadCosts',
  summary: 'Get the cost of pod overhead',
  description: 'Returns what overhead costs the cluster and each runtime class, namespace or node.',
  method: 'GET',
  path: 'clusters/{cluster}/overhead-costs',
  permission: 'read',
  readsRevision: true,
  query: { by: OVERHEAD_BY },
  response: list({
    name: 'OverheadCostList',
    item: namedOverhead,
    itemsDescription: 'Cost of overhead by group, ordered by name.',
    head: overheadCostsHead.members,
    connection: {
      name: 'NamedOverhead',
      description: 'Cost of overhead by group, ordered by name.',
      within: {
        name: 'OverheadCosts',
        description: 'The cost of pod overhead.',
        member: 'items',
        memberDescription: 'The requested page of groups.',
      },
    },
  }),
  statuses: { 200: 'The cost of overhead.' },
  errors: LIST_ERRORS,
  examples: { parameters: { cluster: 'example', by: 'namespace', limit: 10 } },
  graphql: { on: 'Cluster', name: 'overheadCosts', description: 'The cost of pod overhead.' },
});
