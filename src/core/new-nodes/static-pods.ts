import type { ClusterState } from '../cluster/cluster-state.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { NodeShape } from './node-group.js';

const MIRROR = 'kubernetes.io/config.mirror';

/**
 * The static pods of a new node: those that run on the node that shows it. In a template of annotations, the cluster autoscaler counts a
 * kube-proxy.
 *
 * Source: kubernetes/autoscaler, cluster-autoscaler 1.36.1, cluster-autoscaler/simulator/node_info_utils.go, `podsExpectedOnFreshNode`;
 * cluster-autoscaler/cloudprovider/utils.go, `BuildKubeProxy`.
 */
export function staticPodsOn(
  { nodes, pods }: ClusterState,
  shape: NodeShape | undefined,
  name: string,
): readonly Pod[] {
  if (shape?.source === 'annotations') return [kubeProxy(name)];
  const like = shape?.source === 'node' ? nodes.indexOf(shape.like ?? '') : -1;
  if (like < 0) return [];
  return [...nodes.podsOf(like)]
    .map((pod) => pods.pod(pod))
    .filter(
      ({ metadata }) => Object.hasOwn(metadata.annotations ?? {}, MIRROR) && metadata.deletionTimestamp === undefined,
    )
    .map((pod) => ({
      ...pod,
      metadata: { ...pod.metadata, name: `${pod.metadata.name}-${name}` },
      spec: { ...pod.spec, nodeName: name },
    }));
}

const kubeProxy = (nodeName: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `kube-proxy-${nodeName}`, namespace: 'kube-system', annotations: { [MIRROR]: '' } },
  spec: { nodeName, containers: [{ name: 'kube-proxy', resources: { requests: { cpu: '100m' } } }] },
});
