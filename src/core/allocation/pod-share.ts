import type { Pod } from '../kubernetes/objects/pod.js';
import { podLimits } from '../kubernetes/pod-resources/pod-limits.js';
import { podRequests } from '../kubernetes/pod-resources/pod-requests.js';
import type { ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';

/** A pod's effective requests and limits. */
export interface RequestsAndLimits {
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
}

/** What kubectl counts of a pod on a node. */
export interface PodAmounts {
  /** In the pod's own line: the largest of spec, status and what is allocated. */
  readonly shown: RequestsAndLimits;
  /** In the node's sums: by the spec alone. */
  readonly counted: RequestsAndLimits;
}

export interface PodShare extends PodAmounts {
  readonly namespace: string;
  readonly name: string;
  /** `metadata.creationTimestamp`, or the empty string. */
  readonly creationTimestamp: string;
}

/**
 * What kubectl counts of a pod, overhead included.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/describe/describe.go, `describeNodeResource` and `getPodsTotalRequestsAndLimits`.
 *
 * @throws QuantityError for a text that is no quantity
 */
export function podAmounts(pod: Pick<Pod, 'spec' | 'status'>): PodAmounts {
  const counted = { requests: podRequests(pod), limits: podLimits(pod) };
  if (pod.status?.containerStatuses === undefined && pod.status?.initContainerStatuses === undefined) {
    return { shown: counted, counted };
  }
  const options = { useStatusResources: true };
  return { shown: { requests: podRequests(pod, options), limits: podLimits(pod, options) }, counted };
}
