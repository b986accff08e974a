import { NOTHING } from '../collections/nothing.js';
import type { KubernetesRules } from '../kubernetes/kubernetes-rules.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import type { Container, Pod } from '../kubernetes/objects/pod.js';
import { hasPodLevelRequests, isResizeInfeasible } from '../kubernetes/pod-resources/pod-level-resources.js';
import { podRequests } from '../kubernetes/pod-resources/pod-requests.js';
import type { PodResourcesOptions } from '../kubernetes/pod-resources/pod-resources-options.js';
import { parseResourceList } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isScalarResource } from '../kubernetes/resource-names.js';

/**
 * Resources as the scheduler counts them (`framework.Resource`, k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/types.go).
 * Each is an int64, with the same overflow as upstream.
 */
export interface ResourceVector {
  /** In thousandths of a core. */
  readonly milliCPU: bigint;
  /** In bytes. */
  readonly memory: bigint;
  /** In bytes. */
  readonly ephemeralStorage: bigint;
  /** Extended resources, hugepages (in bytes) and attachable volumes, including those with an amount of zero. */
  readonly scalars: ReadonlyMap<string, bigint>;
}

/** The amounts that a pod uses on its node. */
export interface PodResourceVector extends ResourceVector {
  /** For scores: a container without a request for cpu counts as 100m, one without a request for memory as 200 MiB. */
  readonly nonZero: { readonly milliCPU: bigint; readonly memory: bigint };
}

/** The allocatable amounts of a node; `pods` is the maximum number of pods. */
export interface AllocatableVector extends ResourceVector {
  readonly pods: bigint;
}

const DEFAULTS: ReadonlyMap<string, Quantity> = new Map([
  ['cpu', Quantity.of(100, 'DecimalSI', -3)],
  ['memory', Quantity.of(200 * 1024 * 1024)],
]);

/**
 * The amounts that NodeResourcesFit requires on a node for a pod that is not placed yet (`computePodResourceRequest`,
 * k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/noderesources/fit.go). A negative amount counts as zero.
 *
 * @throws QuantityError for an invalid quantity
 */
export function schedulerRequest(pod: Pick<Pod, 'spec' | 'status'>, { featureGates }: KubernetesRules): ResourceVector {
  return vectorOf(podRequests(pod, { skipPodLevelResources: !featureGates.PodLevelResources }), (amount) =>
    amount > 0n ? amount : 0n,
  );
}

/** The options with which the scheduler counts what a pod on a node requests. */
export const schedulerOptions = ({ featureGates }: KubernetesRules): PodResourcesOptions => ({
  useStatusResources: featureGates.InPlacePodVerticalScaling,
  skipPodLevelResources: !featureGates.PodLevelResources,
  podLevelResize: featureGates.InPlacePodLevelResourcesVerticalScaling,
});

/**
 * The amounts that a pod uses on its node (`PodInfo.CalculateResource`, k8s.io/kubernetes v1.36.2,
 * pkg/scheduler/framework/types.go). During an in-place resize, the largest of the desired, allocated and actual amounts
 * counts.
 *
 * @throws QuantityError for an invalid quantity
 */
export function podResourceVector(pod: Pick<Pod, 'spec' | 'status'>, rules: KubernetesRules): PodResourceVector {
  const options = schedulerOptions(rules);
  const requests = podRequests(pod, options);
  const isWhole = rules.featureGates.PodLevelResources && hasPodLevelRequests(pod);
  const missing = isWhole ? new Map([...DEFAULTS].filter(([name]) => !requests.has(name))) : DEFAULTS;
  const nonZero =
    missing.size === 0 || allContainersName(pod, missing)
      ? requests
      : podRequests(pod, { ...options, nonMissingContainerRequests: missing });
  return {
    ...NOTHING,
    ...vectorOf(requests, (amount) => amount),
    nonZero: {
      milliCPU: nonZero.get('cpu')?.milliValue() ?? 0n,
      memory: nonZero.get('memory')?.value() ?? 0n,
    },
  };
}

/**
 * Whether every container has requests for these resources, so that no default applies; false during an infeasible resize,
 * when the specs do not count.
 */
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
 * @throws QuantityError for an invalid quantity
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
