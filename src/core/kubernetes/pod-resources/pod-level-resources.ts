import type { Pod } from '../objects/pod.js';
import type { ResourceList } from '../objects/meta.js';
import { Quantity } from '../quantity.js';
import { largestAmounts, parseResourceList, type ResourceAmounts } from './resource-amounts.js';

export const HUGEPAGES_PREFIX = 'hugepages-';

/** Whether a pod's `spec.resources` may have the resource: cpu, memory and hugepages (`IsSupportedPodLevelResource`). */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith(HUGEPAGES_PREFIX);
}

function namesPodLevelResource(list: ResourceList | undefined): boolean {
  return list !== undefined && Object.keys(list).some(isPodLevelResource);
}

/** Whether `spec.resources.requests` has a supported resource (`IsPodLevelRequestsSet`). */
export function hasPodLevelRequests(pod: Pick<Pod, 'spec'>): boolean {
  return namesPodLevelResource(pod.spec.resources?.requests);
}

/** Whether `spec.resources.limits` has a supported resource (`IsPodLevelLimitsSet`). */
export function hasPodLevelLimits(pod: Pick<Pod, 'spec'>): boolean {
  return namesPodLevelResource(pod.spec.resources?.limits);
}

/** Either of the two (`IsPodLevelResourcesSet`). */
export function hasPodLevelResources(pod: Pick<Pod, 'spec'>): boolean {
  return hasPodLevelRequests(pod) || hasPodLevelLimits(pod);
}

/** Whether the kubelet has reported the pending resize as infeasible; then the spec's resources do not count. */
export function isResizeInfeasible(pod: Pick<Pod, 'status'>): boolean {
  const pending = pod.status?.conditions?.find(({ type }) => type === 'PodResizePending');
  return pending?.reason === 'Infeasible';
}

/**
 * The pod-level amounts that replace those of the containers, for the resources in the spec (k8s.io/component-helpers v0.36.2,
 * resource/helpers.go).
 *
 * With statuses, the largest amount in spec and statuses counts; while a resize is infeasible, that in the statuses alone,
 * where a missing amount is zero.
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
