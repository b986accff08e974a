import { object, enumType } from '../schema.js';
import type { Member } from '../schema.js';
import { answerBasis } from '../common/basis.js';
import { OVERHEAD_GROUPS } from '../limits.js';

export const allocatedAmount = object(
  'AllocatedAmount',
  'An amount, and its share of what the node has.',
  {
    quantity: { type: 'identifier', description: "Quantity in kubectl's format.", example: '2250m' },
    percent: {
      type: 'int64',
      optional: true,
      description:
        "Percentage of the node's amount, as kubectl computes it; null for extended resources, or without a node.",
      example: 56,
    },
  },
  { openApiName: 'Allocated' },
);

export const podAllocation = object('PodAllocation', "A pod's row in the pod table of kubectl describe node.", {
  namespace: { type: 'identifier', description: 'Pod namespace.', example: 'default' },
  name: { type: 'identifier', description: 'Pod name.', example: 'web-0' },
  cpuRequests: { type: allocatedAmount, description: 'CPU requests.' },
  cpuLimits: { type: allocatedAmount, description: 'CPU limits.' },
  memoryRequests: { type: allocatedAmount, description: 'Memory requests.' },
  memoryLimits: { type: allocatedAmount, description: 'Memory limits.' },
});

export const resourceAllocation = object(
  'ResourceAllocation',
  "A row in kubectl's `Allocated resources` table, by the specs of the pods.",
  {
    resource: { type: 'identifier', description: 'Resource name.', example: 'cpu' },
    requests: { type: allocatedAmount, description: 'Total requests of the pods.' },
    limits: { type: allocatedAmount, description: 'Total limits of the pods; may exceed what the node has.' },
  },
);

export const resourceRoom = object(
  'ResourceRoom',
  'Free amount of a resource on a node as the scheduler counts it: milliCPU for cpu, otherwise bytes or a count.',
  {
    resource: { type: 'identifier', description: 'Resource name.', example: 'cpu' },
    allocatable: { type: 'int64', description: 'Allocatable amount of the node.', example: 4000 },
    requested: { type: 'int64', description: 'Amount requested by its pods, without finished ones.', example: 2250 },
    overhead: { type: 'int64', description: 'Part of `requested` that is overhead.', example: 250 },
    free: { type: 'int64', description: 'Free amount; negative if the node is overcommitted.', example: 1750 },
  },
);

export const nodeAllocationSummary = object(
  'NodeAllocationSummary',
  'Requested and free amounts of one node.',
  {
    node: { type: 'identifier', description: 'Node name.', example: 'node-1' },
    podCount: { type: 'integer', description: 'Pods that are not finished.', example: 1 },
    resources: {
      type: resourceAllocation,
      list: true,
      description: "Rows of kubectl's `Allocated resources` table.",
    },
    room: {
      type: resourceRoom,
      list: true,
      description: 'cpu, memory, ephemeral-storage, pods, then the others by name.',
    },
  },
  { openApiName: 'NodeAllocation' },
);

/** The members of a node's allocation besides its pods. */
export const nodeAllocationHead = object(
  'NodeAllocationHead',
  '',
  {
    ...nodeAllocationSummary.members,
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
  },
  { restOnly: true },
);

/** Filters of the list of nodes, in REST and in GraphQL. */
export const ALLOCATION_FILTERS = {
  labelSelector: {
    type: 'string',
    optional: true,
    syntax: 'labelSelector',
    description: 'Label selector for nodes, in kubectl syntax.',
    example: 'pool in (gpu,batch)',
  },
  freest: {
    type: 'identifier',
    optional: true,
    maximumLength: 400,
    description: 'Sort by free amount of this resource, largest first. Default: by name.',
    example: 'cpu',
  },
} as const satisfies Readonly<Record<string, Member>>;

export const overheadAmount = object(
  'OverheadAmount',
  'Overhead of a resource: milliCPU for cpu, otherwise bytes or a count.',
  {
    resource: { type: 'identifier', description: 'Resource name.', example: 'memory' },
    amount: { type: 'int64', description: 'The amount.', example: 125829120 },
  },
);

export const overheadSum = object('OverheadSum', 'Overhead of pods, without finished ones.', {
  pods: { type: 'integer', description: 'Pods with overhead.', example: 1 },
  amounts: { type: overheadAmount, list: true, description: 'Amounts by resource.' },
});

export const overheadShare = object('OverheadShare', 'Cost of overhead.', {
  scheduled: { type: overheadSum, description: 'Overhead of pods on stored nodes.' },
  waiting: {
    type: overheadSum,
    description: 'Overhead of pods without a stored node: charged to quotas now, and to a node later.',
  },
});

export const namedOverhead = object('NamedOverhead', 'Cost of overhead for one runtime class, namespace or node.', {
  ...overheadShare.members,
  name: {
    type: 'identifier',
    description: 'Name of the runtime class, namespace or node; empty for pods without a runtime class.',
    example: 'kata-fc',
  },
});

export const GROUP = enumType('OverheadGroup', 'How the cost of overhead is grouped.', OVERHEAD_GROUPS);

export const OVERHEAD_BY = {
  type: GROUP,
  optional: true,
  defaultsTo: 'runtimeClass',
  description: 'How the cost is grouped. Groups without overhead are left out.',
  example: 'namespace',
} as const satisfies Member;

/** The members of overhead costs besides the items. */
export const overheadCostsHead = object(
  'OverheadCostsHead',
  '',
  {
    basis: { type: answerBasis, description: 'The revision and settings that this response is based on.' },
    by: { type: GROUP, description: GROUP.description, example: 'runtimeClass' },
    cluster: { type: overheadShare, description: 'Cost of overhead for the whole cluster.' },
  },
  { restOnly: true },
);
