import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Pod, ResourceRequirements } from '../kubernetes/objects/pod.js';
import { parseResourceList, addAmounts, type ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';

const QOS_CLASSES = ['Guaranteed', 'Burstable', 'BestEffort'] as const;

export type QosClass = (typeof QOS_CLASSES)[number];

/** The QoS class in the pod's status, otherwise the computed one (`GetPodQOS`). */
export function podQos(pod: Pick<Pod, 'spec' | 'status'>): QosClass {
  return QOS_CLASSES.find((one) => one === pod.status?.qosClass) ?? computeQos(pod);
}

/**
 * The QoS class that results from the pod's spec (`ComputePodQOS`, k8s.io/kubernetes v1.36.2,
 * pkg/apis/core/v1/helper/qos/qos.go).
 *
 * Only amounts of cpu and memory above zero count. A pod is Guaranteed if each of its containers, including init
 * containers, has limits for both, and the sums of requests equal those of limits. It is BestEffort if it has no
 * requests and limits. With pod-level resources, even `{}`, only these count.
 *
 * @throws QuantityError for an invalid quantity
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

/**
 * The parts of a pod that determine its class: each container, or, with pod-level resources, only the pod itself, with
 * an empty name.
 */
export function qosParts({
  spec,
}: Pick<Pod, 'spec'>): readonly { readonly name: string; readonly resources: ResourceRequirements }[] {
  if (spec.resources !== undefined) return [{ name: '', resources: spec.resources }];
  return [...spec.containers, ...(spec.initContainers ?? [])].map(({ name, resources = {} }) => ({ name, resources }));
}

/** The amounts of a list that affect the class: cpu and memory above zero. */
export function countedForQos(list: ResourceList | undefined): ResourceAmounts {
  return new Map(
    [...parseResourceList(list)].filter(
      ([name, quantity]) => (name === 'cpu' || name === 'memory') && quantity.sign() > 0,
    ),
  );
}
