import type { ClusterState } from '../../../cluster/cluster-state.js';
import type { Node } from '../../../kubernetes/objects/node.js';

/** The nodes that have an image, and the bytes that each says the image takes. */
export type ImageState = ReadonlyMap<number, number>;

type Images = ReadonlyMap<string, ImageState>;

/** By the list of a state's nodes, which states share whose nodes are the same. */
const known = new WeakMap<object, Images>();

/** The lists read last: the next revision of one of them mostly has the same images. */
const lastRead: WeakRef<readonly Node[]>[] = [];
const MOST_COMPARED = 8;

/**
 * Where an image lies, by the names that nodes give for it. Read once for the nodes of a state.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/backend/cache/cache.go, `addNodeImageStates`.
 */
export function imageState(state: ClusterState, name: string): ImageState | undefined {
  const nodes = state.objects('Node') as readonly Node[];
  let images = known.get(nodes);
  if (images === undefined) {
    known.set(nodes, (images = sameImages(nodes) ?? readImages(nodes)));
    lastRead.unshift(new WeakRef(nodes));
    lastRead.length = Math.min(lastRead.length, MOST_COMPARED);
  }
  return images.get(name);
}

/** The images of a list of nodes that has the same ones. */
function sameImages(nodes: readonly Node[]): Images | undefined {
  for (const reference of lastRead) {
    const former = reference.deref();
    if (former?.length !== nodes.length) continue;
    if (nodes.every((node, index) => haveSameImages(node, former[index]!))) return known.get(former);
  }
  return undefined;
}

function haveSameImages(one: Node, other: Node): boolean {
  if (one === other) return true;
  const { images = [] } = one.status ?? {};
  const { images: others = [] } = other.status ?? {};
  if (images === others) return true;
  if (images.length !== others.length) return false;
  return images.every(({ names = [], sizeBytes = 0 }, at) => {
    const { names: otherNames = [], sizeBytes: otherBytes = 0 } = others[at]!;
    return (
      sizeBytes === otherBytes &&
      names.length === otherNames.length &&
      names.every((name, place) => name === otherNames[place])
    );
  });
}

function readImages(nodes: readonly Node[]): Images {
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
