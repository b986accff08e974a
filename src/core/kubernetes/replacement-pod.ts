import { defined } from '../collections/defined.js';
import { daemonPodAffinity } from './daemon-pod.js';
import type { Pod, PodSpec } from './objects/pod.js';

/**
 * The pod that a controller creates as a replacement: a copy of the stored pod, which represents the template, without
 * its node and without fields that only existing pods have. A DaemonSet's pod is pinned to its former node.
 */
export function replacementPod(pod: Pod, daemonNode: string | undefined): Pod {
  const { namespace, generateName, labels, annotations, ownerReferences } = pod.metadata;
  const spec: { -readonly [Field in keyof PodSpec]: PodSpec[Field] } = { ...pod.spec };
  delete spec.nodeName;
  if (daemonNode !== undefined) spec.affinity = daemonPodAffinity(spec.affinity, daemonNode);
  return {
    apiVersion: pod.apiVersion,
    kind: 'Pod',
    metadata: {
      name: '',
      ...defined({ generateName, namespace, labels, annotations, ownerReferences }),
    },
    spec,
  };
}
