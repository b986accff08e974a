import type { ClusterState } from '../../../cluster/cluster-state.js';
import type { NodeTable } from '../../../cluster/node-table.js';

/** The nodes that have an image: their number, and by node the bytes that the node says the image takes. */
export interface ImageState {
  readonly nodes: number;
  readonly size: (node: number) => number | undefined;
}

const known = new WeakMap<NodeTable, ReadonlyMap<string, ReadonlyMap<number, number>>>();

/**
 * Where an image lies, by the names that nodes give for it. Read once for the nodes of a state.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/backend/cache/cache.go, `addNodeImageStates`.
 */
export function imageState({ nodes }: ClusterState, name: string): ImageState | undefined {
  let images = known.get(nodes);
  if (images === undefined) known.set(nodes, (images = readImages(nodes)));
  const sizes = images.get(name);
  return sizes && { nodes: sizes.size, size: (node) => sizes.get(node) };
}

function readImages(nodes: NodeTable): ReadonlyMap<string, ReadonlyMap<number, number>> {
  const images = new Map<string, Map<number, number>>();
  for (let node = 0; node < nodes.count; node++) {
    for (const { names = [], sizeBytes = 0 } of nodes.node(node).status?.images ?? []) {
      for (const name of names) {
        const sizes = images.get(name) ?? new Map<number, number>();
        images.set(name, sizes.set(node, Number(sizeBytes)));
      }
    }
  }
  return images;
}
