import { pinOf } from '../cluster/pod-parts.js';
import { defined } from '../collections/defined.js';
import { daemonPodAffinity } from '../kubernetes/daemon-pod.js';
import type { NodeAffinity, Pod, PodSpec } from '../kubernetes/objects/pod.js';

/**
 * The pod that a controller makes in place of one: the stored pod speaks for its template, without its node and without what only a
 * pod that exists has. A DaemonSet's pod is made for the node that it was on.
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

/** Where required node affinity names one node in every term: the node, and the pod without the naming. */
export function withoutPin(pod: Pod): { readonly pin: string; readonly pod: Pod } | undefined {
  const pin = pinOf(pod.spec);
  if (pin === undefined) return undefined;
  const { affinity } = pod.spec;
  const nodeAffinity: { -readonly [Field in keyof NodeAffinity]: NodeAffinity[Field] } = { ...affinity?.nodeAffinity };
  const terms = (nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []).map(
    ({ matchExpressions = [] }) => ({ matchExpressions }),
  );
  // A term that asks for nothing but the name is met by the node of that name.
  if (terms.some(({ matchExpressions }) => matchExpressions.length === 0)) {
    delete nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  } else nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms: terms };
  return { pin, pod: { ...pod, spec: { ...pod.spec, affinity: { ...affinity, nodeAffinity } } } };
}
