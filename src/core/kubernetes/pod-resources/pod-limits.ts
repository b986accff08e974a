import type { Pod } from '../objects/pod.js';
import type { Quantity } from '../quantity.js';
import { aggregateContainers, type CountedLists } from './aggregate-containers.js';
import { hasPodLevelResources, isResizeInfeasible, podLevelAmounts } from './pod-level-resources.js';
import type { PodResourcesOptions } from './pod-resources-options.js';
import { parseResourceList, type ResourceAmounts } from './resource-amounts.js';

/**
 * The pod's effective limits (`PodLimits`, k8s.io/component-helpers v0.36.2, resource/helpers.go): computed like its
 * requests, but overhead is added only to existing limits other than zero.
 *
 * A container without a limit counts as zero: the sum is a limit of the pod only if every container has one.
 *
 * @throws QuantityError for an invalid quantity
 */
export function podLimits(pod: Pick<Pod, 'spec' | 'status'>, options: PodResourcesOptions = {}): ResourceAmounts {
  const limits = aggregateContainerLimits(pod, options);
  for (const [name, amount] of podLevelLimits(pod, options)) limits.set(name, amount);
  if (options.excludeOverhead !== true) {
    for (const [name, overhead] of parseResourceList(pod.spec.overhead)) {
      const limit = limits.get(name);
      if (limit !== undefined && !limit.isZero()) limits.set(name, limit.add(overhead));
    }
  }
  return limits;
}

const NONE: ReadonlyMap<string, Quantity> = new Map();

/** The pod-level limits that replace those of the containers; empty if there are none, or none count. */
export function podLevelLimits(
  pod: Pick<Pod, 'spec' | 'status'>,
  options: PodResourcesOptions = {},
): ReadonlyMap<string, Quantity> {
  if (options.skipPodLevelResources === true || !hasPodLevelResources(pod)) return NONE;
  const counts = options.useStatusResources === true && options.podLevelResize === true;
  const reported = counts ? pod.status?.resources : undefined;
  // If the status has no limits, those of the spec remain in force despite an infeasible resize.
  const statuses =
    reported === undefined || (reported.limits === undefined && isResizeInfeasible(pod))
      ? undefined
      : [reported.limits];
  return podLevelAmounts(pod, pod.spec.resources?.limits, statuses);
}

/** The lists that limits consist of. */
export function limitLists(options: PodResourcesOptions): CountedLists {
  return {
    spec: (container) => container.resources?.limits,
    status: options.useStatusResources === true ? (status) => [status.resources?.limits] : undefined,
  };
}

/** The sum of the containers' limits (`AggregateContainerLimits`). */
export function aggregateContainerLimits(
  pod: Pick<Pod, 'spec' | 'status'>,
  options: PodResourcesOptions = {},
): ResourceAmounts {
  return aggregateContainers(pod, limitLists(options));
}
