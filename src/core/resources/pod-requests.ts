import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import { aggregateContainers, type ContainerList } from './aggregate-containers.js';
import { applyPodLevelResources, hasPodLevelRequests, isResizeInfeasible } from './pod-level-resources.js';
import type { PodResourcesOptions } from './pod-resources-options.js';
import { addAmounts, largestAmounts, parseResourceList, type ResourceAmounts } from './resource-amounts.js';

const fromSpec: ContainerList = (container) => container.resources?.requests;

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
  const useStatus = options.useStatusResources === true;
  const how = { useStatus, missing: options.nonMissingContainerRequests };
  const spec = aggregateContainers(pod, fromSpec, how);
  if (!useStatus) return spec;

  const infeasible = isResizeInfeasible(pod);
  const unlessInfeasible = (list: ResourceList | undefined): ResourceList | undefined =>
    infeasible ? undefined : list;
  const fromAllocated: ContainerList = (container, status) =>
    status?.allocatedResources ?? unlessInfeasible(container.resources?.requests);
  const fromActuated: ContainerList = (container, status) =>
    status?.resources?.requests ?? fromAllocated(container, status);

  const { resources, allocatedResources } = pod.status ?? {};
  const known =
    options.podLevelResize === true && allocatedResources !== undefined && resources?.requests !== undefined;
  const allocated = known ? parseResourceList(allocatedResources) : aggregateContainers(pod, fromAllocated, how);
  const actuated = known ? parseResourceList(resources.requests) : aggregateContainers(pod, fromActuated, how);
  return infeasible ? largestAmounts(actuated, allocated) : largestAmounts(spec, actuated, allocated);
}
