import type { Pod } from '../objects/pod.js';
import type { Quantity } from '../quantity.js';
import { aggregateContainers, type CountedLists } from './aggregate-containers.js';
import { hasPodLevelRequests, podLevelAmounts } from './pod-level-resources.js';
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
  for (const [name, amount] of podLevelRequests(pod, options)) requests.set(name, amount);
  if (options.excludeOverhead !== true) addAmounts(requests, parseResourceList(pod.spec.overhead));
  return requests;
}

const NONE: ReadonlyMap<string, Quantity> = new Map();

/** What pod-level requests put in the place of the containers'; empty where there are none, or none that count. */
export function podLevelRequests(
  pod: Pick<Pod, 'spec' | 'status'>,
  options: PodResourcesOptions = {},
): ReadonlyMap<string, Quantity> {
  if (options.skipPodLevelResources === true || !hasPodLevelRequests(pod)) return NONE;
  const status = options.useStatusResources === true && options.podLevelResize === true ? pod.status : undefined;
  const statuses = status?.resources === undefined ? undefined : [status.resources.requests, status.allocatedResources];
  return podLevelAmounts(pod, pod.spec.resources?.requests, statuses);
}

/** Which lists make up requests. */
export function requestLists(options: PodResourcesOptions): CountedLists {
  return {
    spec: (container) => container.resources?.requests,
    status:
      options.useStatusResources === true
        ? (status) => [status.resources?.requests, status.allocatedResources]
        : undefined,
    missing: options.nonMissingContainerRequests,
  };
}

/** What the containers request together, without pod-level requests and overhead (`AggregateContainerRequests`). */
export function aggregateContainerRequests(
  pod: Pick<Pod, 'spec' | 'status'>,
  options: PodResourcesOptions = {},
): ResourceAmounts {
  return aggregateContainers(pod, requestLists(options));
}
