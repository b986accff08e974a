import type { ClusterState } from '../../../cluster/cluster-state.js';
import type { Node } from '../../../kubernetes/objects/node.js';

/** The nodes that have an image, and the bytes that each says the image takes. */
export type ImageState = ReadonlyMap<number, number>;

/** By the list of a state's nodes, which states share whose nodes are the same. */
const known = new WeakMap<object, ReadonlyMap<string, ImageState>>();

/**
 * Where an image lies, by the names that nodes give for it. Read once for the nodes of a state.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/backend/cache/cache.go, `addNodeImageStates`.
 */
export function imageState(state: ClusterState, name: string): ImageState | undefined {
  const nodes = state.objects('Node') as readonly Node[];
  let images = known.get(nodes);
  if (images === undefined) known.set(nodes, (images = readImages(nodes)));
  return images.get(name);
}

function readImages(nodes: readonly Node[]): ReadonlyMap<string, ImageState> {
  const images = new Map<string, Map<number, number>>();
  for (const [node, { status }] of nodes.entries()) {
    for (const { names = [], sizeBytes = 0 } of status?.images ?? []) {
      for (const name of names) {
        const sizes = images.get(name) ?? new Map<number, number>();
        images.set(name, sizes.set(node, Number(sizeBytes)));
      }
    }
  }
  return images;
}
