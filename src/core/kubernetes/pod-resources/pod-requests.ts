import type { Pod } from '../objects/pod.js';
import type { Quantity } from '../quantity.js';
import { aggregateContainers, type CountedLists } from './aggregate-containers.js';
import { hasPodLevelRequests, podLevelAmounts } from './pod-level-resources.js';
import type { PodResourcesOptions } from './pod-resources-options.js';
import { addAmounts, parseResourceList, type ResourceAmounts } from './resource-amounts.js';

/**
 * The pod's effective requests, including overhead (`PodRequests`, k8s.io/component-helpers v0.36.2, resource/helpers.go).
 *
 * Requests of containers add up, those of init containers are a minimum, and those of sidecars are added to both. Pod-level
 * requests then replace the sums for the resources that they have. Overhead is added last.
 *
 * @throws QuantityError for an invalid quantity
 */
export function podRequests(pod: Pick<Pod, 'spec' | 'status'>, options: PodResourcesOptions = {}): ResourceAmounts {
  const requests = aggregateContainerRequests(pod, options);
  for (const [name, amount] of podLevelRequests(pod, options)) requests.set(name, amount);
  if (options.excludeOverhead !== true) addAmounts(requests, parseResourceList(pod.spec.overhead));
  return requests;
}

const NONE: ReadonlyMap<string, Quantity> = new Map();

/** The pod-level requests that replace those of the containers; empty if there are none, or none count. */
export function podLevelRequests(
  pod: Pick<Pod, 'spec' | 'status'>,
  options: PodResourcesOptions = {},
): ReadonlyMap<string, Quantity> {
  if (options.skipPodLevelResources === true || !hasPodLevelRequests(pod)) return NONE;
  const status = options.useStatusResources === true && options.podLevelResize === true ? pod.status : undefined;
  const statuses = status?.resources === undefined ? undefined : [status.resources.requests, status.allocatedResources];
  return podLevelAmounts(pod, pod.spec.resources?.requests, statuses);
}

/** The lists that requests consist of. */
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

/** The sum of the containers' requests, without pod-level requests and overhead (`AggregateContainerRequests`). */
export function aggregateContainerRequests(
  pod: Pick<Pod, 'spec' | 'status'>,
  options: PodResourcesOptions = {},
): ResourceAmounts {
  return aggregateContainers(pod, requestLists(options));
}
