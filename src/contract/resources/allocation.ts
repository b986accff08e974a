import { object, enumType } from '../schema.js';
import type { Member } from '../schema.js';
import { answerBasis } from '../common/basis.js';
import { OVERHEAD_GROUPS } from '../limits.js';

export const allocatedAmount = object(
  'AllocatedAmount',
  'An amount, beside what a node has of it.',
  {
    quantity: { type: 'string', description: 'As kubectl writes it.', example: '2250m' },
    percent: {
      type: 'int64',
      optional: true,
      description:
        'Percent of what the node has, as kubectl computes it; null for extended resources, or without a node.',
      example: 56,
    },
  },
  { openApiName: 'Allocated' },
);

export const podAllocation = object('PodAllocation', "A pod's line in kubectl's table of a node.", {
  namespace: { type: 'string', description: 'Its namespace.', example: 'default' },
  name: { type: 'string', description: 'Its name.', example: 'web-0' },
  cpuRequests: { type: allocatedAmount, description: 'cpu requests.' },
  cpuLimits: { type: allocatedAmount, description: 'cpu limits.' },
  memoryRequests: { type: allocatedAmount, description: 'Memory requests.' },
  memoryLimits: { type: allocatedAmount, description: 'Memory limits.' },
});

export const resourceAllocation = object(
  'ResourceAllocation',
  "A line of kubectl's table of a node's sums, by the specs of its pods.",
  {
    resource: { type: 'string', description: 'The resource.', example: 'cpu' },
    requests: { type: allocatedAmount, description: 'What pods request together.' },
    limits: { type: allocatedAmount, description: 'What they are limited to together; may be more than there is.' },
  },
);

export const resourceRoom = object(
  'ResourceRoom',
  'What a node has left of a resource, as the scheduler counts: milliCPU for cpu, else bytes or a count.',
  {
    resource: { type: 'string', description: 'The resource.', example: 'cpu' },
    allocatable: { type: 'int64', description: 'What the node has to give.', example: 4000 },
    requested: { type: 'int64', description: 'What its pods that have not ended take of it.', example: 2250 },
    overhead: { type: 'int64', description: 'The part of that which is overhead.', example: 250 },
    free: { type: 'int64', description: 'What is left; below zero where the node is overcommitted.', example: 1750 },
  },
);

export const nodeAllocationSummary = object(
  'NodeAllocationSummary',
  'What the pods of one node hold of it.',
  {
    node: { type: 'string', description: 'The node.', example: 'node-1' },
    podCount: { type: 'integer', description: 'Its pods that have not ended.', example: 1 },
    resources: {
      type: resourceAllocation,
      list: true,
      description: "The lines of kubectl's `Allocated resources`.",
    },
    room: {
      type: resourceRoom,
      list: true,
      description: 'cpu, memory, ephemeral-storage, pods, then the others by name.',
    },
  },
  { openApiName: 'NodeAllocation' },
);

/** What an answer about one node says before its pods. */
export const nodeAllocationHead = object(
  'NodeAllocationHead',
  '',
  {
    ...nodeAllocationSummary.members,
    basis: { type: answerBasis, description: 'What the answer rests on.' },
  },
  { restOnly: true },
);

/** Filters of the list of nodes, in REST and in GraphQL. */
export const ALLOCATION_FILTERS = {
  labelSelector: {
    type: 'string',
    optional: true,
    description: "Only nodes with these labels, in kubectl's syntax.",
    example: 'pool in (gpu,batch)',
  },
  freest: {
    type: 'string',
    optional: true,
    maximumLength: 400,
    description: 'The nodes with the most of this resource free come first; by default by name.',
    example: 'cpu',
  },
} as const satisfies Readonly<Record<string, Member>>;

export const overheadAmount = object(
  'OverheadAmount',
  'Overhead of a resource: milliCPU for cpu, else bytes or a count.',
  {
    resource: { type: 'string', description: 'The resource.', example: 'memory' },
    amount: { type: 'int64', description: 'How much.', example: 125829120 },
  },
);

export const overheadSum = object('OverheadSum', 'The overhead of some pods that have not ended.', {
  pods: { type: 'integer', description: 'Pods with overhead.', example: 1 },
  amounts: { type: overheadAmount, list: true, description: 'By resource.' },
});

export const overheadShare = object('OverheadShare', 'What overhead costs.', {
  held: { type: overheadSum, description: 'Held of stored nodes.' },
  waiting: {
    type: overheadSum,
    description: 'Of pods without a stored node: quotas count it already, and it will be held.',
  },
});

export const namedOverhead = object('NamedOverhead', 'What overhead costs a runtime class, a namespace or a node.', {
  ...overheadShare.members,
  name: {
    type: 'string',
    description: 'Its name; of runtime classes the empty one is that of pods with overhead that name none.',
    example: 'kata-fc',
  },
});

export const GROUP = enumType('OverheadGroup', 'By what the cost of overhead is told.', OVERHEAD_GROUPS);

export const OVERHEAD_BY = {
  type: GROUP,
  optional: true,
  defaultsTo: 'runtimeClass',
  description: 'By what the cost is told; what overhead costs nothing is left out.',
  example: 'namespace',
} as const satisfies Member;

/** What an answer about overhead says before its items. */
export const overheadCostsHead = object(
  'OverheadCostsHead',
  '',
  {
    basis: { type: answerBasis, description: 'What the answer rests on.' },
    by: { type: GROUP, description: 'By what the cost is told.', example: 'runtimeClass' },
    cluster: { type: overheadShare, description: 'What overhead costs the whole cluster.' },
  },
  { restOnly: true },
);
