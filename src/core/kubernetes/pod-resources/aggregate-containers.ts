import type { ResourceList } from '../objects/meta.js';
import type { Container, ContainerStatus, Pod } from '../objects/pod.js';
import { Quantity } from '../quantity.js';
import { isResizeInfeasible } from './pod-level-resources.js';
import { addAmounts, largestAmounts, raiseByList, raiseAmounts, type ResourceAmounts } from './resource-amounts.js';

/** Which lists of a container count: requests or limits. */
export interface CountedLists {
  readonly spec: (container: Container) => ResourceList | undefined;
  /** What the status reports; given where the status counts. The largest of each resource in these and the spec does. */
  readonly status?: ((status: ContainerStatus) => readonly (ResourceList | undefined)[]) | undefined;
  /** Added to each container that does not name the resource. */
  readonly missing?: ReadonlyMap<string, Quantity> | undefined;
}

/** Whether an init container is a sidecar: it starts before the containers and keeps running beside them. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

/** What one container counts for. @param keepsRunning whether its status counts: that of init containers does not */
export type ContainerAmounts = (container: Container, keepsRunning: boolean) => ResourceAmounts;

/**
 * What each container of a pod counts for by itself.
 *
 * Statuses count for containers and sidecars, not for init containers, and only those that report `resources`. While the
 * kubelet calls a resize infeasible they replace the spec.
 */
export function containerAmounts(pod: Pick<Pod, 'status'>, lists: CountedLists): ContainerAmounts {
  const statuses = lists.status === undefined ? undefined : statusesByName(pod);
  const infeasible = statuses !== undefined && isResizeInfeasible(pod);
  return (container, keepsRunning) => {
    const spec = lists.spec(container);
    const status = keepsRunning ? statuses?.get(container.name) : undefined;
    const reports = status?.resources !== undefined && lists.status !== undefined;
    const amounts = largestAmounts(reports && infeasible ? undefined : spec);
    if (reports) for (const list of lists.status(status)) raiseByList(amounts, list);
    for (const [name, quantity] of lists.missing ?? []) {
      if (!amounts.has(name)) amounts.set(name, Quantity.NULL.add(quantity));
    }
    return amounts;
  };
}

/**
 * What the pod's containers need together (`AggregateContainerRequests` and `AggregateContainerLimits`,
 * k8s.io/component-helpers v0.36.2, resource/helpers.go).
 *
 * The containers run beside each other, and beside the sidecars: all of these add up. An init container runs alone but
 * for the sidecars listed before it. The pod needs the larger of the two, resource by resource: containers of 1 and 1, a
 * sidecar of 1, then an init container of 3 need max(1 + 1 + 1, 1 + 3) = 4.
 */
export function aggregateContainers(pod: Pick<Pod, 'spec' | 'status'>, lists: CountedLists): ResourceAmounts {
  const amountsOf = containerAmounts(pod, lists);

  const total: ResourceAmounts = new Map();
  for (const container of pod.spec.containers) addAmounts(total, amountsOf(container, true));

  const sidecars: ResourceAmounts = new Map();
  const starting: ResourceAmounts = new Map();
  for (const container of pod.spec.initContainers ?? []) {
    if (isSidecar(container)) {
      const amounts = amountsOf(container, true);
      addAmounts(total, amounts);
      addAmounts(sidecars, amounts);
      raiseAmounts(starting, sidecars);
    } else {
      const amounts = amountsOf(container, false);
      addAmounts(amounts, sidecars);
      raiseAmounts(starting, amounts);
    }
  }
  raiseAmounts(total, starting);
  return total;
}

/** Of two statuses with one name that of the init container counts, then the later one. */
export function statusesByName(pod: Pick<Pod, 'status'>): ReadonlyMap<string, ContainerStatus> {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  return new Map([...containerStatuses, ...initContainerStatuses].map((status) => [status.name, status]));
}
