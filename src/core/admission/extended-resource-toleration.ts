import { compare } from '../json/compare.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { isExtendedResource } from '../kubernetes/resource-names.js';
import { addOrUpdateToleration } from '../kubernetes/toleration.js';

/**
 * The pod with a toleration for each extended resource that one of its containers requests, a quantity of 0 included: so that
 * nodes may be tainted with the name of the resource that they are there for. In the order of the resources' names.
 *
 * A toleration that the pod brings counts as the same only with operator Exists and effect NoSchedule spelled out.
 *
 * Source: k8s.io/kubernetes v1.36.2, plugin/pkg/admission/extendedresourcetoleration/admission.go.
 */
export function admitExtendedResources(pod: Pod): Pod {
  const { containers, initContainers = [], tolerations = [] } = pod.spec;
  const requested = [...containers, ...initContainers].flatMap(({ resources }) =>
    Object.keys(resources?.requests ?? {}).filter(isExtendedResource),
  );
  if (requested.length === 0) return pod;
  const added = [...new Set(requested)].sort(compare).map((key) => ({ key, operator: 'Exists', effect: 'NoSchedule' }));
  return { ...pod, spec: { ...pod.spec, tolerations: added.reduce(addOrUpdateToleration, tolerations) } };
}
