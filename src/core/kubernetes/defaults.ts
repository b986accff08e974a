import { NOTHING } from '../collections/nothing.js';
import { aggregateContainerLimits } from './pod-resources/pod-limits.js';
import { isPodLevelResource } from './pod-resources/pod-level-resources.js';
import { aggregateContainerRequests } from './pod-resources/pod-requests.js';
import type { Int64, ResourceList } from './objects/meta.js';
import type { Container, ContainerPort, ContainerStatus, Pod, PodSpec, ResourceRequirements } from './objects/pod.js';
import { decodeQuantity, type Quantity } from './quantity.js';
import { isHugePageResource } from './resource-names.js';

const TERMINATION_GRACE_PERIOD_SECONDS = 30;

/**
 * The pod with the API server's defaults (`SetObjectDefaults_Pod`, k8s.io/kubernetes v1.36.2, pkg/apis/core/v1/defaults.go),
 * as far as fields are kept. Does not run admission plugins. Fields without a default are unchanged.
 *
 * Quantities are written as the API server writes them, rounded away from zero to thousandths: `0.5` becomes `500m`, `1n`
 * becomes `1m`, `1E3` is unchanged.
 *
 * @throws QuantityError for an invalid quantity
 */
export function defaultPod(pod: Pod): Pod {
  const { status } = pod;
  const spec = defaultPodSpec(pod.spec);
  if (status === undefined) return { ...pod, spec };
  const { containerStatuses, initContainerStatuses, resources, allocatedResources } = status;
  return {
    ...pod,
    spec,
    status: {
      ...status,
      ...(containerStatuses && { containerStatuses: containerStatuses.map(roundedStatus) }),
      ...(initContainerStatuses && { initContainerStatuses: initContainerStatuses.map(roundedStatus) }),
      ...(resources && { resources: rounded(resources) }),
      ...(allocatedResources && { allocatedResources: roundedList(allocatedResources) }),
    },
  };
}

/**
 * The spec of a pod, or of a pod created from a template, with the defaults of {@link defaultPod}.
 *
 * The API server adds fewer defaults to a template itself (no requests from limits), but all of them to the pod created from
 * it.
 */
export function defaultPodSpec(given: PodSpec): PodSpec {
  const spec: PodSpec = {
    ...given,
    containers: given.containers.map(withRequestsFromLimits),
    ...(given.initContainers && { initContainers: given.initContainers.map(withRequestsFromLimits) }),
  };
  const hostNetwork = spec.hostNetwork === true;
  const finished = (container: Container): Container => finishedContainer(container, hostNetwork);
  return {
    ...NOTHING,
    ...spec,
    containers: spec.containers.map(finished),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(finished) }),
    ...(spec.resources && { resources: podLevelDefaults(spec, spec.resources) }),
    ...(spec.overhead && { overhead: roundedList(spec.overhead) }),
    restartPolicy: nonEmpty(spec.restartPolicy) ?? 'Always',
    schedulerName: nonEmpty(spec.schedulerName) ?? 'default-scheduler',
    terminationGracePeriodSeconds: gracePeriod(spec.terminationGracePeriodSeconds),
  };
}

/** The API server changes a negative period to 1 (pkg/apis/core/v1/conversion.go). */
function gracePeriod(given: Int64 | undefined): Int64 {
  if (given === undefined) return TERMINATION_GRACE_PERIOD_SECONDS;
  return given < 0 ? 1 : given;
}

const nonEmpty = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

/** A copy of a list with missing entries added. Keys come from the user, so they are defined rather than assigned. */
function completed(list: ResourceList | undefined, additions: Iterable<readonly [string, string]>): ResourceList {
  const entries = new Map(Object.entries(list ?? {}));
  for (const [name, quantity] of additions) {
    if (!entries.has(name)) entries.set(name, quantity);
  }
  return Object.fromEntries(entries);
}

function withRequestsFromLimits(container: Container): Container {
  const { resources } = container;
  if (resources?.limits === undefined) return container;
  const requests = completed(resources.requests, Object.entries(resources.limits));
  return { ...container, resources: { ...NOTHING, ...resources, requests } };
}

/**
 * Derives pod-level limits for hugepages from the containers' limits (`defaultHugePagePodLimits`), then pod-level requests
 * from the containers' requests and from the pod-level limits (`defaultPodRequests`).
 *
 * As upstream, rounding comes last: the given containers are not rounded yet, the returned lists are.
 */
function podLevelDefaults(spec: PodSpec, given: ResourceRequirements): ResourceRequirements {
  const resources = rounded(given);
  if (isEmpty(resources.limits) && isEmpty(resources.requests)) return resources;
  const hugePages = [...aggregateContainerLimits({ spec })].filter(
    ([name]) => isHugePageResource(name) && !Object.hasOwn(resources.requests ?? {}, name),
  );
  const limits = completed(resources.limits, written(hugePages));
  if (isEmpty(limits)) return resources;
  const fromContainers = [...aggregateContainerRequests({ spec })].filter(
    ([name]) => name === 'cpu' || name === 'memory',
  );
  const fromLimits = Object.entries(limits).filter(([name]) => isPodLevelResource(name));
  const requests = completed(resources.requests, [...written(fromContainers), ...fromLimits]);
  return { ...resources, limits, ...(isEmpty(requests) ? {} : { requests }) };
}

const written = (amounts: readonly (readonly [string, Quantity])[]): (readonly [string, string])[] =>
  amounts.map(([name, quantity]) => [name, quantity.roundUpToMilli().toString()]);

const isEmpty = (list: ResourceList | undefined): boolean => list === undefined || Object.keys(list).length === 0;

function finishedContainer(container: Container, hostNetwork: boolean): Container {
  const { ports, resources } = container;
  return {
    ...container,
    ...(resources && { resources: rounded(resources) }),
    ...(ports && { ports: ports.map((port) => finishedPort(port, hostNetwork)) }),
  };
}

function finishedPort(port: ContainerPort, hostNetwork: boolean): ContainerPort {
  const unset = port.hostPort === undefined || port.hostPort === 0;
  return {
    ...NOTHING,
    ...port,
    ...(hostNetwork && unset ? { hostPort: port.containerPort } : {}),
    protocol: nonEmpty(port.protocol) ?? 'TCP',
  };
}

function rounded<T extends ResourceRequirements>(resources: T): T {
  const { requests, limits } = resources;
  return {
    ...resources,
    ...(requests && { requests: roundedList(requests) }),
    ...(limits && { limits: roundedList(limits) }),
  };
}

function roundedStatus(status: ContainerStatus): ContainerStatus {
  const { resources, allocatedResources } = status;
  return {
    ...status,
    ...(resources && { resources: rounded(resources) }),
    ...(allocatedResources && { allocatedResources: roundedList(allocatedResources) }),
  };
}

/**
 * `SetDefaults_ResourceList`: every quantity is rounded away from zero to thousandths and written as the API server writes it.
 */
export function roundedList(list: ResourceList): ResourceList {
  return Object.fromEntries(
    Object.entries(list).map(([name, text]) => [name, decodeQuantity(text).roundUpToMilli().toString()]),
  );
}
