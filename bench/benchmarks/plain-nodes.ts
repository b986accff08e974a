import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type { Node } from '../../src/core/kubernetes/objects/node.js';

/** A node with its free amount of each resource, for references that check nodes one by one. */
export interface PlainNode {
  readonly node: Node;
  readonly free: ReadonlyMap<string, number>;
}

export function plainNodes({ nodes }: ClusterState): readonly PlainNode[] {
  return Array.from({ length: nodes.count }, (_, index) => ({
    node: nodes.node(index),
    free: new Map(
      nodes.allocatable.names.map((resource) => [
        resource,
        Number(nodes.allocatable.at(resource, index)) - Number(nodes.requested.at(resource, index)),
      ]),
    ),
  }));
}
