import type { KubernetesRules } from '../../../kubernetes/kubernetes-rules.js';
import type { PodSpec } from '../../../kubernetes/objects/pod.js';
import { MAX_NODE_SCORE, type ScorePlugin } from '../../score-plugin.js';
import { imageState, type ImageState } from './image-states.js';

export const NAME = 'ImageLocality';

const MEBIBYTE = 1024 * 1024;
/** Images that take less together do not count. */
const LEAST = 23 * MEBIBYTE;
/** More than this for each container of the pod makes no difference, whatever its volumes take. */
const MAX_PER_CONTAINER = 1000 * MEBIBYTE;

/**
 * Nodes that have the pod's images already are better, and the more so the larger the images are and the more nodes have them.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/imagelocality/image_locality.go.
 */
export const imageLocalityScore: ScorePlugin = {
  name: NAME,
  score: ({ state, pod, nodes }) => {
    const images = imagesOf(pod.spec, state.rules).flatMap((name) => {
      const found = imageState(state, name);
      return found === undefined ? [] : [{ name, state: found }];
    });
    const containers = (pod.spec.initContainers?.length ?? 0) + pod.spec.containers.length;
    const total = state.nodes.count;
    const raw = new Float64Array(nodes.length);
    if (images.length > 0) {
      const sums = new Float64Array(total);
      for (const image of images)
        for (const [node, size] of image.state) sums[node]! += spread(image.state, size, total);
      for (let i = 0; i < nodes.length; i++) {
        const sum = sums[nodes[i]!]!;
        if (sum > LEAST) raw[i] = priority(sum, containers);
      }
    }
    return {
      outcome: 'Score',
      raw,
      normalized: raw,
      arithmetic: (position) => ({
        formula:
          "sum over the pod's images on the node of size times the share of nodes with the image, scaled from 23 MiB through 1000 MiB per container to 0 through 100",
        terms: images
          .map(({ name, state: having }) => ({ name, having, size: having.get(nodes[position]!) }))
          .filter(({ size }) => size !== undefined)
          .map(({ name, having, size = 0 }) => ({
            of: name,
            amounts: { sizeBytes: String(size), nodes: `${having.size} of ${total}` },
            score: spread(having, size, total),
          })),
      }),
    };
  },
};

function spread(having: ImageState, size: number, total: number): number {
  return Math.trunc(size * (having.size / total));
}

function priority(sum: number, containers: number): number {
  const most = MAX_PER_CONTAINER * containers;
  const counted = Math.min(Math.max(sum, LEAST), most);
  return Math.trunc((MAX_NODE_SCORE * (counted - LEAST)) / (most - LEAST));
}

/** Every image that the pod needs, as often as it does, as a node would name it; those of volumes since 1.36. */
function imagesOf(
  { initContainers = [], containers, volumes = [] }: PodSpec,
  { minor }: KubernetesRules,
): readonly string[] {
  return [
    ...[...initContainers, ...containers].map(({ image = '' }) => image),
    ...(minor < 36 ? [] : volumes).flatMap(({ image }) => (image === undefined ? [] : [image.reference ?? ''])),
  ].map(normalized);
}

/** An image without a tag is the one that is tagged `latest`. */
export function normalized(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
