import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type { Node } from '../../src/core/kubernetes/objects/node.js';
import type { Pod } from '../../src/core/kubernetes/objects/pod.js';
import { parseQuantity } from '../../src/core/kubernetes/quantity.js';

/** A node with what is left on it, for references that look at one node after the other. */
export interface PlainNode {
  readonly node: Node;
  readonly free: { readonly milliCPU: number; readonly memory: number; readonly pods: number };
}

export function plainNodes({ nodes }: ClusterState): readonly PlainNode[] {
  const free = (resource: string, node: number): number =>
    Number(nodes.allocatable.at(resource, node)) - Number(nodes.requested.at(resource, node));
  return Array.from({ length: nodes.count }, (_, index) => ({
    node: nodes.node(index),
    free: { milliCPU: free('cpu', index), memory: free('memory', index), pods: free('pods', index) },
  }));
}

/** What a generated pod asks for: the sum over its containers, sidecars included. */
export function podRequestCounts({ spec }: Pod): { readonly milliCPU: number; readonly memory: number } {
  let milliCPU = 0n;
  let memory = 0n;
  for (const { resources } of [...spec.containers, ...(spec.initContainers ?? [])]) {
    milliCPU += parseQuantity(resources?.requests?.['cpu'] ?? '0').milliValue();
    memory += parseQuantity(resources?.requests?.['memory'] ?? '0').value();
  }
  return { milliCPU: Number(milliCPU), memory: Number(memory) };
}
