import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Container, ContainerStatus, Pod } from '../kubernetes/objects/pod.js';
import { Quantity } from '../kubernetes/quantity.js';
import { addAmounts, parseResourceList, raiseAmounts, type ResourceAmounts } from './resource-amounts.js';

/** Which of a container's lists counts: its spec's, or what its status reports. */
export type ContainerList = (container: Container, status: ContainerStatus | undefined) => ResourceList | undefined;

/** Whether an init container is a sidecar: it starts before the containers and keeps running beside them. */
export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

/**
 * What the pod's containers need together (k8s.io/component-helpers v0.36.2, resource/helpers.go,
 * `aggregateContainerResourcesByFn`).
 *
 * The containers run beside each other, and beside the sidecars: all of these add up. An init container runs alone but
 * for the sidecars listed before it. The pod needs the larger of the two, resource by resource: containers 1 and 1, a
 * sidecar 1, then an init container 3 need max(1 + 1 + 1, 1 + 3) = 4.
 */
export function aggregateContainers(
  pod: Pick<Pod, 'spec' | 'status'>,
  listOf: ContainerList,
  { useStatus, missing }: { readonly useStatus: boolean; readonly missing?: ReadonlyMap<string, Quantity> | undefined },
): ResourceAmounts {
  const amountsOf = (container: Container): ResourceAmounts => {
    const amounts = parseResourceList(listOf(container, useStatus ? statusOf(pod, container.name) : undefined));
    for (const [name, quantity] of missing ?? []) {
      if (!amounts.has(name)) amounts.set(name, Quantity.NULL.add(quantity));
    }
    return amounts;
  };
  const total: ResourceAmounts = new Map();
  for (const container of pod.spec.containers) addAmounts(total, amountsOf(container));

  const sidecars: ResourceAmounts = new Map();
  const starting: ResourceAmounts = new Map();
  for (const container of pod.spec.initContainers ?? []) {
    const amounts = amountsOf(container);
    if (isSidecar(container)) {
      addAmounts(total, amounts);
      addAmounts(sidecars, amounts);
      raiseAmounts(starting, sidecars);
    } else {
      addAmounts(amounts, sidecars);
      raiseAmounts(starting, amounts);
    }
  }
  raiseAmounts(total, starting);
  return total;
}

function statusOf(pod: Pick<Pod, 'status'>, name: string): ContainerStatus | undefined {
  return (
    pod.status?.containerStatuses?.find((status) => status.name === name) ??
    pod.status?.initContainerStatuses?.find((status) => status.name === name)
  );
}
