import { pinOf } from '../cluster/pod-parts.js';
import { defined } from '../collections/defined.js';
import { daemonPodAffinity } from '../kubernetes/daemon-pod.js';
import type { NodeAffinity, Pod, PodSpec } from '../kubernetes/objects/pod.js';

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

/** If every term of required node affinity names the same node: that node, and the pod without the name. */
export function withoutPin(pod: Pod): { readonly pin: string; readonly pod: Pod } | undefined {
  const pin = pinOf(pod.spec);
  if (pin === undefined) return undefined;
  const { affinity } = pod.spec;
  const nodeAffinity: { -readonly [Field in keyof NodeAffinity]: NodeAffinity[Field] } = { ...affinity?.nodeAffinity };
  const terms = (nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).map(
    ({ matchExpressions = [] }) => ({ matchExpressions }),
  );
  // A term that requires only the name matches the node of that name.
  if (terms.some(({ matchExpressions }) => matchExpressions.length === 0)) {
    delete nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  } else nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms: terms };
  return { pin, pod: { ...pod, spec: { ...pod.spec, affinity: { ...affinity, nodeAffinity } } } };
}
