import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Pod, ResourceRequirements } from '../kubernetes/objects/pod.js';
import { parseResourceList, addAmounts, type ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';

const QOS_CLASSES = ['Guaranteed', 'Burstable', 'BestEffort'] as const;

export type QosClass = (typeof QOS_CLASSES)[number];

/** The quality of service class that the pod's status names, or else the computed one (`GetPodQOS`). */
export function podQos(pod: Pick<Pod, 'spec' | 'status'>): QosClass {
  return QOS_CLASSES.find((one) => one === pod.status?.qosClass) ?? computeQos(pod);
}

/**
 * The quality of service class that follows from the pod's spec (`ComputePodQOS`, k8s.io/kubernetes v1.36.2,
 * pkg/apis/core/v1/helper/qos/qos.go).
 *
 * Only cpu and memory above zero count. Guaranteed is a pod each of whose containers, init containers included, limits
 * both, if the sums of requests equal those of limits; BestEffort one that asks for nothing. With pod-level resources,
 * even `{}`, those alone decide.
 *
 * @throws QuantityError for a text that is no quantity
 */
export function computeQos(pod: Pick<Pod, 'spec'>): QosClass {
  const requests: ResourceAmounts = new Map();
  const limits: ResourceAmounts = new Map();
  let allLimited = true;
  for (const { resources } of qosParts(pod)) {
    const limitsOfPart = countedForQos(resources.limits);
    addAmounts(requests, countedForQos(resources.requests));
    addAmounts(limits, limitsOfPart);
    if (limitsOfPart.size < 2) allLimited = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const equal =
    requests.size === limits.size && [...requests].every(([name, request]) => limits.get(name)?.cmp(request) === 0);
  return allLimited && equal ? 'Guaranteed' : 'Burstable';
}

/** What is judged of a pod: each container, or the pod alone, without a name, where it has pod-level resources. */
export function qosParts({
  spec,
}: Pick<Pod, 'spec'>): readonly { readonly name: string; readonly resources: ResourceRequirements }[] {
  if (spec.resources !== undefined) return [{ name: '', resources: spec.resources }];
  return [...spec.containers, ...(spec.initContainers ?? [])].map(({ name, resources = {} }) => ({ name, resources }));
}

/** Of a list what decides on the class: cpu and memory above zero. */
export function countedForQos(list: ResourceList | undefined): ResourceAmounts {
  return new Map(
    [...parseResourceList(list)].filter(
      ([name, quantity]) => (name === 'cpu' || name === 'memory') && quantity.sign() > 0,
    ),
  );
}
