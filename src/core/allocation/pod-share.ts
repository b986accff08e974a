import type { Pod } from '../kubernetes/objects/pod.js';
import { podLimits } from '../kubernetes/pod-resources/pod-limits.js';
import { podRequests } from '../kubernetes/pod-resources/pod-requests.js';
import type { ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';

/** A pod's effective requests and limits. */
export interface RequestsAndLimits {
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
}

/** The amounts that kubectl shows for a pod on a node. */
export interface PodAmounts {
  /** In the pod's own row: the largest of spec, status and allocated resources. */
  readonly shown: RequestsAndLimits;
  /** In the node's sums: based only on the spec. */
  readonly counted: RequestsAndLimits;
}

export interface PodShare extends PodAmounts {
  readonly namespace: string;
  readonly name: string;
  /** `metadata.creationTimestamp`, or the empty string. */
  readonly creationTimestamp: string;
}

/**
 * The amounts that kubectl shows for a pod, including overhead.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/describe/describe.go, `describeNodeResource` and `getPodsTotalRequestsAndLimits`.
 *
 * @throws QuantityError for an invalid quantity
 */
export function podAmounts(pod: Pick<Pod, 'spec' | 'status'>): PodAmounts {
  const counted = { requests: podRequests(pod), limits: podLimits(pod) };
  if (pod.status?.containerStatuses === undefined && pod.status?.initContainerStatuses === undefined) {
    return { shown: counted, counted };
  }
  const options = { useStatusResources: true };
  return { shown: { requests: podRequests(pod, options), limits: podLimits(pod, options) }, counted };
}
