import type { ClusterState } from '../../src/core/cluster/cluster-state.js';
import type { Pod, PodSpec } from '../../src/core/kubernetes/objects/pod.js';

/** Pods sampled evenly from a state and turned into new ones: without a node, and with a name that is not stored. */
export function newPodsLike({ pods }: ClusterState, count: number): readonly Pod[] {
  const size = Math.min(count, pods.count);
  return Array.from({ length: size }, (_, index) => {
    const pod = pods.pod(Math.floor((index * pods.count) / size));
    const spec: { -readonly [Field in keyof PodSpec]: PodSpec[Field] } = { ...pod.spec };
    delete spec.nodeName;
    return { ...pod, metadata: { ...pod.metadata, name: `new-${index}` }, spec };
  });
}
