import type {
  allocatedAmount,
  nodeAllocationSummary,
  podAllocation,
  resourceAllocation,
} from '../../contract/resources/allocation.js';
import type { Response } from '../../contract/schema.js';
import type { Allocated, PodAllocation, ResourceAllocation } from '../../core/allocation/allocation-table.js';
import type { NodeAllocationSummary } from '../../core/allocation/node-allocation.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { int64 } from '../../core/cluster/resource-table.js';

type AllocatedView = Response<typeof allocatedAmount>;
type PodAllocationView = Response<typeof podAllocation>;
type ResourceAllocationView = Response<typeof resourceAllocation>;
type NodeAllocationView = Response<typeof nodeAllocationSummary>;

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
