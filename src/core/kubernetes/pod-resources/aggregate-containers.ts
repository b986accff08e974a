import type { ResourceList } from '../objects/meta.js';
import type { Container, ContainerStatus, Pod } from '../objects/pod.js';
import { Quantity } from '../quantity.js';
import { isResizeInfeasible } from './pod-level-resources.js';
import { addAmounts, largestAmounts, raiseByList, raiseAmounts, type ResourceAmounts } from './resource-amounts.js';

/** Which lists of a container to count: requests or limits. */
export interface CountedLists {
  readonly spec: (container: Container) => ResourceList | undefined;
  /**
   * The lists in a container's status; set if the status counts. For each resource, the largest amount in these and the spec
   * counts.
   */
  readonly status?: ((status: ContainerStatus) => readonly (ResourceList | undefined)[]) | undefined;
  /** Added to each container that does not have the resource. */
  readonly missing?: ReadonlyMap<string, Quantity> | undefined;
}

/** Whether an init container is a sidecar: it starts before the containers and keeps running next to them. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

/**
 * The amounts that one container counts for. @param keepsRunning whether its status counts; it does not for init containers
 */
export type ContainerAmounts = (container: Container, keepsRunning: boolean) => ResourceAmounts;

/**
 * The amounts of each container of a pod.
 *
 * Statuses count for containers and sidecars, not for init containers, and only those that report `resources`. While the
 * kubelet reports a resize as infeasible, they replace the spec.
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
 * The amounts that the pod's containers need together (`AggregateContainerRequests` and `AggregateContainerLimits`,
 * k8s.io/component-helpers v0.36.2, resource/helpers.go).
 *
 * Containers and sidecars run at the same time, so their amounts add up. An init container runs only with the sidecars listed
 * before it. The pod needs the larger of the two for each resource: containers of 1 and 1, a sidecar of 1, then an init
 * container of 3 need max(1 + 1 + 1, 1 + 3) = 4.
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

/** Of two statuses with the same name, that of an init container takes precedence, then the later one. */
export function statusesByName(pod: Pick<Pod, 'status'>): ReadonlyMap<string, ContainerStatus> {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  return new Map([...containerStatuses, ...initContainerStatuses].map((status) => [status.name, status]));
}
