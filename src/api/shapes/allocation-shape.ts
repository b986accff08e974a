import { ObjectType } from '@nestjs/graphql';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';
import { OVERHEAD_GROUPS } from '../../app/resources/read-overhead-costs.js';
import { BasisShape } from './basis-shape.js';
import type { Plain } from './plain.js';
import { wordsType } from './property-type.js';
import { Shown, type PropertyOptions } from './property.js';

@ObjectType('AllocatedAmount', { description: 'An amount, beside what a node has of it.' })
export class AllocatedShape {
  @Shown({ type: 'string', description: 'As kubectl writes it.', example: '2250m' })
  quantity!: string;

  @Shown({
    type: 'int64',
    optional: true,
    description:
      'Percent of what the node has, as kubectl computes it; null for extended resources, or without a node.',
    example: 56,
  })
  percent!: Int64 | null;
}

@ObjectType('PodAllocation', { description: "A pod's line in kubectl's table of a node." })
export class PodAllocationShape {
  @Shown({ type: 'string', description: 'Its namespace.', example: 'default' })
  namespace!: string;

  @Shown({ type: 'string', description: 'Its name.', example: 'web-0' })
  name!: string;

  @Shown({ type: () => AllocatedShape, description: 'cpu requests.' })
  cpuRequests!: Plain<AllocatedShape>;

  @Shown({ type: () => AllocatedShape, description: 'cpu limits.' })
  cpuLimits!: Plain<AllocatedShape>;

  @Shown({ type: () => AllocatedShape, description: 'Memory requests.' })
  memoryRequests!: Plain<AllocatedShape>;

  @Shown({ type: () => AllocatedShape, description: 'Memory limits.' })
  memoryLimits!: Plain<AllocatedShape>;
}

@ObjectType('ResourceAllocation', {
  description: "A line of kubectl's table of a node's sums, by the specs of its pods.",
})
export class ResourceAllocationShape {
  @Shown({ type: 'string', description: 'The resource.', example: 'cpu' })
  resource!: string;

  @Shown({ type: () => AllocatedShape, description: 'What pods request together.' })
  requests!: Plain<AllocatedShape>;

  @Shown({ type: () => AllocatedShape, description: 'What they are limited to together; may be more than there is.' })
  limits!: Plain<AllocatedShape>;
}

@ObjectType('ResourceRoom', {
  description: 'What a node has left of a resource, as the scheduler counts: milliCPU for cpu, else bytes or a count.',
})
export class ResourceRoomShape {
  @Shown({ type: 'string', description: 'The resource.', example: 'cpu' })
  resource!: string;

  @Shown({ type: 'int64', description: 'What the node has to give.', example: 4000 })
  allocatable!: Int64;

  @Shown({ type: 'int64', description: 'What its pods that have not ended take of it.', example: 2250 })
  requested!: Int64;

  @Shown({ type: 'int64', description: 'The part of that which is overhead.', example: 250 })
  overhead!: Int64;

  @Shown({ type: 'int64', description: 'What is left; below zero where the node is overcommitted.', example: 1750 })
  free!: Int64;
}

@ObjectType('NodeAllocationSummary', { description: 'What the pods of one node hold of it.' })
export class NodeAllocationShape {
  @Shown({ type: 'string', description: 'The node.', example: 'node-1' })
  node!: string;

  @Shown({ type: 'integer', description: 'Its pods that have not ended.', example: 1 })
  podCount!: number;

  @Shown({
    type: () => ResourceAllocationShape,
    list: true,
    description: "The lines of kubectl's `Allocated resources`.",
  })
  resources!: readonly Plain<ResourceAllocationShape>[];

  @Shown({
    type: () => ResourceRoomShape,
    list: true,
    description: 'cpu, memory, ephemeral-storage, pods, then the others by name.',
  })
  room!: readonly Plain<ResourceRoomShape>[];
}

/** What an answer about one node says before its pods. */
@ObjectType({ isAbstract: true })
export abstract class NodeAllocationHeadShape extends NodeAllocationShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;
}

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
    description: 'The nodes with the most of this resource free come first; by name unless told.',
    example: 'cpu',
  },
} as const satisfies Readonly<Record<string, PropertyOptions>>;

@ObjectType('OverheadAmount', { description: 'Overhead of a resource: milliCPU for cpu, else bytes or a count.' })
export class OverheadAmountShape {
  @Shown({ type: 'string', description: 'The resource.', example: 'memory' })
  resource!: string;

  @Shown({ type: 'int64', description: 'How much.', example: 125829120 })
  amount!: Int64;
}

@ObjectType('OverheadSum', { description: 'The overhead of some pods that have not ended.' })
export class OverheadSumShape {
  @Shown({ type: 'integer', description: 'Pods with overhead.', example: 1 })
  pods!: number;

  @Shown({ type: () => OverheadAmountShape, list: true, description: 'By resource.' })
  amounts!: readonly Plain<OverheadAmountShape>[];
}

@ObjectType('OverheadShare', { description: 'What overhead costs.' })
export class OverheadShareShape {
  @Shown({ type: () => OverheadSumShape, description: 'Held of stored nodes.' })
  held!: Plain<OverheadSumShape>;

  @Shown({
    type: () => OverheadSumShape,
    description: 'Of pods without a stored node: quotas count it already, and it will be held.',
  })
  waiting!: Plain<OverheadSumShape>;
}

@ObjectType('NamedOverhead', { description: 'What overhead costs a runtime class, a namespace or a node.' })
export class NamedOverheadShape extends OverheadShareShape {
  @Shown({
    type: 'string',
    description: 'Its name; of runtime classes the empty one is that of pods with overhead that name none.',
    example: 'kata-fc',
  })
  name!: string;
}

const GROUP = wordsType('OverheadGroup', 'By what the cost of overhead is told.', OVERHEAD_GROUPS);

export const OVERHEAD_BY = {
  type: GROUP,
  optional: true,
  defaultsTo: 'runtimeClass',
  description: 'By what the cost is told; what overhead costs nothing is left out.',
  example: 'namespace',
} as const satisfies PropertyOptions;

/** What an answer about overhead says before its items. */
@ObjectType({ isAbstract: true })
export abstract class OverheadCostsHeadShape {
  @Shown({ type: () => BasisShape, description: 'What the answer rests on.' })
  basis!: Plain<BasisShape>;

  @Shown({ type: GROUP, description: 'By what the cost is told.', example: 'runtimeClass' })
  by!: string;

  @Shown({ type: () => OverheadShareShape, description: 'What overhead costs the whole cluster.' })
  cluster!: Plain<OverheadShareShape>;
}
