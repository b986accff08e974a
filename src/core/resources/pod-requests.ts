import type { Pod } from '../kubernetes/objects/pod.js';
import { aggregateContainers } from './aggregate-containers.js';
import { applyPodLevelResources, hasPodLevelRequests } from './pod-level-resources.js';
import type { PodResourcesOptions } from './pod-resources-options.js';
import { addAmounts, parseResourceList, type ResourceAmounts } from './resource-amounts.js';

/**
 * The pod's effective requests, overhead included (`PodRequests`, k8s.io/component-helpers v0.36.2, resource/helpers.go).
 *
 * Containers add up, init containers are a minimum, sidecars add to both; pod-level requests then take the place of the
 * containers' for the resources that they name; overhead comes on top.
 *
 * @throws QuantityError for a text that is no quantity
 */
export function podRequests(pod: Pick<Pod, 'spec' | 'status'>, options: PodResourcesOptions = {}): ResourceAmounts {
  const requests = aggregateContainerRequests(pod, options);
  if (options.skipPodLevelResources !== true && hasPodLevelRequests(pod)) {
    const status = options.useStatusResources === true && options.podLevelResize === true ? pod.status : undefined;
    const statuses =
      status?.resources === undefined ? undefined : [status.resources.requests, status.allocatedResources];
    applyPodLevelResources(requests, pod, pod.spec.resources?.requests, statuses);
  }
  if (options.excludeOverhead !== true) addAmounts(requests, parseResourceList(pod.spec.overhead));
  return requests;
}

/** What the containers request together, without pod-level requests and overhead (`AggregateContainerRequests`). */
export function aggregateContainerRequests(
  pod: Pick<Pod, 'spec' | 'status'>,
  options: PodResourcesOptions = {},
): ResourceAmounts {
  return aggregateContainers(pod, {
    spec: (container) => container.resources?.requests,
    status:
      options.useStatusResources === true
        ? (status) => [status.resources?.requests, status.allocatedResources]
        : undefined,
    missing: options.nonMissingContainerRequests,
  });
}
