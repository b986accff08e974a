import type { Allocated, PodAllocation, ResourceAllocation } from '../../core/allocation/allocation-table.js';
import type { NodeAllocationSummary, ResourceRoom } from '../../core/allocation/node-allocation.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { int64 } from '../../core/cluster/resource-table.js';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';

export interface AllocatedView {
  readonly quantity: string;
  /** Of what the node has, cut. */
  readonly percent: Int64 | null;
}

/** A line of the table of pods. */
export interface PodAllocationView {
  readonly namespace: string;
  readonly name: string;
  readonly cpuRequests: AllocatedView;
  readonly cpuLimits: AllocatedView;
  readonly memoryRequests: AllocatedView;
  readonly memoryLimits: AllocatedView;
}

/** A line of the table of sums. */
export interface ResourceAllocationView {
  readonly resource: string;
  readonly requests: AllocatedView;
  readonly limits: AllocatedView;
}

/** What the pods of one node hold of it. */
export interface NodeAllocationView {
  readonly node: string;
  readonly podCount: number;
  readonly resources: readonly ResourceAllocationView[];
  readonly room: readonly ResourceRoom[];
}

export function nodeAllocationView(
  { nodes }: ClusterState,
  { node, podCount, resources, room }: NodeAllocationSummary,
): NodeAllocationView {
  return { node: nodes.name(node), podCount, resources: resources.map(resourceAllocationView), room };
}

export function podAllocationView({ share, ...amounts }: PodAllocation): PodAllocationView {
  return {
    namespace: share.namespace,
    name: share.name,
    cpuRequests: allocatedView(amounts.cpuRequests),
    cpuLimits: allocatedView(amounts.cpuLimits),
    memoryRequests: allocatedView(amounts.memoryRequests),
    memoryLimits: allocatedView(amounts.memoryLimits),
  };
}

const resourceAllocationView = ({ resource, requests, limits }: ResourceAllocation): ResourceAllocationView => ({
  resource,
  requests: allocatedView(requests),
  limits: allocatedView(limits),
});

export const allocatedView = ({ quantity, percent }: Allocated): AllocatedView => ({
  quantity: quantity.toString(),
  percent: percent === undefined ? null : int64(percent),
});
