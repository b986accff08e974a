import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Container, Pod } from '../kubernetes/objects/pod.js';
import { hasPodLevelRequests, isResizeInfeasible } from '../kubernetes/pod-resources/pod-level-resources.js';
import { podRequests } from '../kubernetes/pod-resources/pod-requests.js';
import type { PodResourcesOptions } from '../kubernetes/pod-resources/pod-resources-options.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isScalarResource } from '../kubernetes/resource-names.js';

/**
 * Resources as the scheduler counts them (`framework.Resource`, k8s.io/kubernetes v1.36.2,
 * pkg/scheduler/framework/types.go). Each is an int64, and what overflows is what overflows there.
 */
export interface ResourceVector {
  /** Thousandths of a core. */
  readonly milliCPU: bigint;
  /** Bytes. */
  readonly memory: bigint;
  /** Bytes. */
  readonly ephemeralStorage: bigint;
  /** Extended resources, hugepages (bytes) and attachable volumes; a resource that is named but zero is in it. */
  readonly scalars: ReadonlyMap<string, bigint>;
}

/** What a pod takes of the node that it is on. */
export interface PodResourceVector extends ResourceVector {
  /** For scoring: a container that requests no cpu counts as 100m, one that requests no memory as 200 MiB. */
  readonly nonZero: { readonly milliCPU: bigint; readonly memory: bigint };
}

/** What a node has to give; `pods` is how many pods may run there. */
export interface AllocatableVector extends ResourceVector {
  readonly pods: bigint;
}

const DEFAULTS: ReadonlyMap<string, Quantity> = new Map([
  ['cpu', Quantity.of(100, 'DecimalSI', -3)],
  ['memory', Quantity.of(200 * 1024 * 1024)],
]);

/**
 * What NodeResourcesFit asks of a node for a pod that is not on one yet (`computePodResourceRequest`, k8s.io/kubernetes
 * v1.36.2, pkg/scheduler/framework/plugins/noderesources/fit.go). A negative amount counts as zero.
 *
 * @throws QuantityError for a text that is no quantity
 */
export function schedulerRequest(pod: Pick<Pod, 'spec' | 'status'>): ResourceVector {
  return vectorOf(podRequests(pod), (amount) => (amount > 0n ? amount : 0n));
}

/**
 * What a pod takes of its node (`PodInfo.CalculateResource`, k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/types.go):
 * while it is resized in place, the largest of what is asked, allocated and in force.
 *
 * @throws QuantityError for a text that is no quantity
 */
export function podResourceVector(pod: Pick<Pod, 'spec' | 'status'>): PodResourceVector {
  const options: PodResourcesOptions = { useStatusResources: true, podLevelResize: true };
  const requests = podRequests(pod, options);
  const missing = hasPodLevelRequests(pod) ? new Map([...DEFAULTS].filter(([name]) => !requests.has(name))) : DEFAULTS;
  const nonZero =
    missing.size === 0 || allContainersName(pod, missing)
      ? requests
      : podRequests(pod, { ...options, nonMissingContainerRequests: missing });
  return {
    ...vectorOf(requests, (amount) => amount),
    nonZero: {
      milliCPU: nonZero.get('cpu')?.milliValue() ?? 0n,
      memory: nonZero.get('memory')?.value() ?? 0n,
    },
  };
}

/** Whether the minimum of a missing request can apply nowhere; while a resize is infeasible the specs do not say. */
function allContainersName(pod: Pick<Pod, 'spec' | 'status'>, names: ReadonlyMap<string, Quantity>): boolean {
  const namesAll = ({ resources }: Container): boolean => {
    const requests = resources?.requests;
    return requests !== undefined && [...names.keys()].every((name) => Object.hasOwn(requests, name));
  };
  return (
    pod.spec.containers.every(namesAll) && (pod.spec.initContainers ?? []).every(namesAll) && !isResizeInfeasible(pod)
  );
}

/**
 * A node's `status.allocatable` as the scheduler counts it (`NewResource`).
 *
 * @throws QuantityError for a text that is no quantity
 */
export function allocatableVector(allocatable: ResourceList | undefined): AllocatableVector {
  const amounts = parseResourceList(allocatable);
  return { ...vectorOf(amounts, (amount) => amount), pods: amounts.get('pods')?.value() ?? 0n };
}

function vectorOf(amounts: ReadonlyMap<string, Quantity>, counted: (amount: bigint) => bigint): ResourceVector {
  const scalars = new Map<string, bigint>();
  for (const [name, quantity] of amounts) {
    if (isScalarResource(name)) scalars.set(name, counted(quantity.value()));
  }
  return {
    milliCPU: counted(amounts.get('cpu')?.milliValue() ?? 0n),
    memory: counted(amounts.get('memory')?.value() ?? 0n),
    ephemeralStorage: counted(amounts.get('ephemeral-storage')?.value() ?? 0n),
    scalars,
  };
}
