import type { Pod } from '../objects/pod.js';
import type { ResourceList } from '../objects/meta.js';
import { Quantity } from '../quantity.js';
import { largestAmounts, parseResourceList, type ResourceAmounts } from './resource-amounts.js';

export const HUGEPAGES_PREFIX = 'hugepages-';

/** cpu, memory and hugepages: what `spec.resources` of a pod may name (`IsSupportedPodLevelResource`). */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith(HUGEPAGES_PREFIX);
}

function namesPodLevelResource(list: ResourceList | undefined): boolean {
  return list !== undefined && Object.keys(list).some(isPodLevelResource);
}

/** Whether `spec.resources.requests` names a supported resource (`IsPodLevelRequestsSet`). */
export function hasPodLevelRequests(pod: Pick<Pod, 'spec'>): boolean {
  return namesPodLevelResource(pod.spec.resources?.requests);
}

/** Whether `spec.resources.limits` names a supported resource (`IsPodLevelLimitsSet`). */
export function hasPodLevelLimits(pod: Pick<Pod, 'spec'>): boolean {
  return namesPodLevelResource(pod.spec.resources?.limits);
}

/** Either of the two (`IsPodLevelResourcesSet`). */
export function hasPodLevelResources(pod: Pick<Pod, 'spec'>): boolean {
  return hasPodLevelRequests(pod) || hasPodLevelLimits(pod);
}

/** Whether the kubelet has called the pending resize impossible; then the spec's resources count for nothing. */
export function isResizeInfeasible(pod: Pick<Pod, 'status'>): boolean {
  const pending = pod.status?.conditions?.find(({ type }) => type === 'PodResizePending');
  return pending?.reason === 'Infeasible';
}

/**
 * The pod-level amounts that take the place of the containers', for the resources that the spec names
 * (k8s.io/component-helpers v0.36.2, resource/helpers.go).
 *
 * With statuses the largest of spec and statuses counts, or that of the statuses alone while a resize is infeasible; what
 * they then lack is zero.
 */
export function podLevelAmounts(
  pod: Pick<Pod, 'status'>,
  spec: ResourceList | undefined,
  statuses: readonly (ResourceList | undefined)[] | undefined,
): ResourceAmounts {
  const amounts: ResourceAmounts = new Map();
  const asked = parseResourceList(spec);
  const effective =
    statuses === undefined ? asked : largestAmounts(isResizeInfeasible(pod) ? undefined : spec, ...statuses);
  for (const name of asked.keys()) {
    if (isPodLevelResource(name)) amounts.set(name, effective.get(name) ?? Quantity.NULL);
  }
  return amounts;
}
