import type { node as nodeObject } from '../../contract/nodes/node.js';
import type { Response } from '../../contract/schema.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import type { NodeResources } from '../../core/cluster/node-table.js';
import type { ResourceList } from '../../core/kubernetes/objects/meta.js';
import { quantityOf } from '../../core/kubernetes/quantity-of.js';
import { nodeVersion } from '../../storage/taint-trail/node-row.js';
import { nodeTaintResponse } from '../taints/taint-response.js';

export type NodeResponse = Response<typeof nodeObject>;

export function nodeResponse(state: ClusterState, index: number): NodeResponse {
  const { nodes } = state;
  const node = nodes.node(index);
  const { metadata, spec = {}, status = {} } = node;
  return {
    name: metadata.name,
    createdAt: metadata.creationTimestamp ?? null,
    labels: metadata.labels ?? {},
    taints: (spec.taints ?? []).map((taint) => nodeTaintResponse(taint, state)),
    unschedulable: spec.unschedulable ?? false,
    conditions: (status.conditions ?? []).map(
      ({ type, status: value, reason = null, message = null, lastTransitionTime = null }) => ({
        type,
        status: value,
        reason,
        message,
        lastTransitionTime,
      }),
    ),
    allocatable: status.allocatable ?? {},
    requested: resourceList(nodes.requested, index),
    podCount: Number(nodes.requested.at('pods', index)),
    kubeletVersion: status.nodeInfo?.kubeletVersion ?? null,
    operatingSystem: status.nodeInfo?.operatingSystem ?? null,
    architecture: status.nodeInfo?.architecture ?? null,
    version: nodeVersion(node),
  };
}

/** The amounts of a node as Kubernetes formats them, without zeros. */
function resourceList(resources: NodeResources, node: number): ResourceList {
  const names = resources.names.filter((name) => name !== 'pods' && resources.at(name, node) !== 0);
  return Object.fromEntries(names.sort().map((name) => [name, quantityOf(name, resources.at(name, node)).toString()]));
}
