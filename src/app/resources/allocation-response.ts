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

type AllocatedResponse = Response<typeof allocatedAmount>;
type PodAllocationResponse = Response<typeof podAllocation>;
type ResourceAllocationResponse = Response<typeof resourceAllocation>;
type NodeAllocationResponse = Response<typeof nodeAllocationSummary>;

export function nodeAllocationResponse(
  { nodes }: ClusterState,
  { node, podCount, resources, room }: NodeAllocationSummary,
): NodeAllocationResponse {
  return { node: nodes.name(node), podCount, resources: resources.map(resourceAllocationResponse), room };
}

export function podAllocationResponse({ share, ...amounts }: PodAllocation): PodAllocationResponse {
  return {
    namespace: share.namespace,
    name: share.name,
    cpuRequests: allocatedResponse(amounts.cpuRequests),
    cpuLimits: allocatedResponse(amounts.cpuLimits),
    memoryRequests: allocatedResponse(amounts.memoryRequests),
    memoryLimits: allocatedResponse(amounts.memoryLimits),
  };
}

const resourceAllocationResponse = ({
  resource,
  requests,
  limits,
}: ResourceAllocation): ResourceAllocationResponse => ({
  resource,
  requests: allocatedResponse(requests),
  limits: allocatedResponse(limits),
});

export const allocatedResponse = ({ quantity, percent }: Allocated): AllocatedResponse => ({
  quantity: quantity.toString(),
  percent: percent === undefined ? null : int64(percent),
});
