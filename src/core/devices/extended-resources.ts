import { compare } from '../json/compare.js';
import { isExtendedClaimOf } from '../kubernetes/extended-resource-claim.js';
import { microsecondsOf } from '../kubernetes/moment.js';
import type { DeviceClass, DeviceRequest, ResourceClaim } from '../kubernetes/objects/dra.js';
import type { Container, Pod } from '../kubernetes/objects/pod.js';
import { decodeQuantity } from '../kubernetes/quantity.js';
import { DEVICE_CLASS_PREFIX } from '../kubernetes/resource-names.js';

/** Which of a container's extended resources a request of the pod's claim provides. */
export interface RequestMapping {
  readonly containerName: string;
  readonly resourceName: string;
  readonly requestName: string;
}

/**
 * The class behind each extended resource: by the class's own name, and by the name that it declares. Of several classes that declare the
 * same name, the newest has it, and of equally old ones the first by name.
 *
 * Source: k8s.io/dynamic-resource-allocation v0.36.2, deviceclass/extendedresourcecache.
 */
export function classesByResource(classes: readonly DeviceClass[]): ReadonlyMap<string, DeviceClass> {
  const found = new Map<string, DeviceClass>();
  for (const one of classes) {
    found.set(`${DEVICE_CLASS_PREFIX}${one.metadata.name}`, one);
    const name = one.spec?.extendedResourceName;
    if (name === undefined) continue;
    const known = found.get(name);
    if (known === undefined || isPreferred(one, known)) found.set(name, one);
  }
  return found;
}

function isPreferred(one: DeviceClass, other: DeviceClass): boolean {
  const [created, before] = [createdAt(one), createdAt(other)];
  return created === before ? one.metadata.name < other.metadata.name : created > before;
}

const createdAt = ({ metadata }: DeviceClass): number =>
  metadata.creationTimestamp === undefined ? -Infinity : (microsecondsOf(metadata.creationTimestamp) ?? -Infinity);

/** The claim that an earlier attempt to schedule the pod has made for its extended resources (`findExtendedResourceClaim`). */
export function extendedResourceClaim(pod: Pod, claims: Iterable<ResourceClaim>): ResourceClaim | undefined {
  for (const claim of claims) if (isExtendedClaimOf(claim, pod)) return claim;
  return undefined;
}

interface Asked {
  readonly request: DeviceRequest | undefined;
  readonly mappings: readonly RequestMapping[];
}

/**
 * The requests for the devices behind a pod's extended resources, and which container they are for. An init container uses the devices of
 * the containers that follow it, and only asks for what is missing; init containers share what they ask for.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go,
 * `createRequestsAndMappings`.
 *
 * @param resources the extended resources, with the class of each
 */
export function requestsFor(
  pod: Pod,
  resources: ReadonlyMap<string, DeviceClass>,
): { readonly requests: readonly DeviceRequest[]; readonly mappings: readonly RequestMapping[] } {
  const init = pod.spec.initContainers ?? [];
  const containers = [...init, ...pod.spec.containers];
  const isShortLived = (index: number): boolean => index < init.length && containers[index]!.restartPolicy !== 'Always';
  const requests: DeviceRequest[] = [];
  const mappings: RequestMapping[] = [];
  for (const resource of [...resources.keys()].sort()) {
    const className = resources.get(resource)!.metadata.name;
    const lasting = containers.map((container, index): Asked =>
      isShortLived(index) ? NOTHING : askedBy(container, index, resource, className, []),
    );
    const passing = containers.flatMap((container, index) =>
      isShortLived(index)
        ? [
            askedBy(
              container,
              index,
              resource,
              className,
              lasting.slice(index).flatMap(({ request }) => request ?? []),
            ),
          ]
        : [],
    );
    const largest = largestOf(passing.flatMap(({ request }) => request ?? []));
    const replaced = new Set(passing.flatMap(({ request }) => request?.name ?? []));
    if (largest !== undefined) requests.push(largest);
    requests.push(...lasting.flatMap(({ request }) => request ?? []));
    mappings.push(...lasting.flatMap((one) => one.mappings));
    mappings.push(
      ...passing
        .flatMap((one) => one.mappings)
        .map((one) => (replaced.has(one.requestName) ? { ...one, requestName: largest!.name } : one)),
    );
  }
  return { requests: requests.sort((a, b) => compare(a.name, b.name)), mappings };
}

const NOTHING: Asked = { request: undefined, mappings: [] };

const countOf = ({ exactly }: DeviceRequest): bigint => BigInt(exactly?.count ?? 0);

/** The first of those with the most devices. */
function largestOf(requests: readonly DeviceRequest[]): DeviceRequest | undefined {
  return requests.reduce<DeviceRequest | undefined>(
    (largest, one) => (largest === undefined || countOf(one) > countOf(largest) ? one : largest),
    undefined,
  );
}

/** `createResourceRequestAndMappings`. */
function askedBy(
  container: Container,
  index: number,
  resource: string,
  className: string,
  reusable: readonly DeviceRequest[],
): Asked {
  const requests = container.resources?.requests ?? {};
  const amount = Object.hasOwn(requests, resource) ? decodeQuantity(requests[resource]!).asInt64() : undefined;
  if (amount === undefined || amount === 0n) return NOTHING;
  const mapping = (requestName: string): RequestMapping => ({
    containerName: container.name,
    resourceName: resource,
    requestName,
  });
  const mappings: RequestMapping[] = [];
  let reused = 0n;
  for (const request of reusable) {
    reused += countOf(request);
    mappings.push(mapping(request.name));
    if (reused >= amount) return { request: undefined, mappings };
  }
  const name = `container-${index}-request-${Object.keys(requests).sort().indexOf(resource)}`;
  return {
    request: {
      name,
      exactly: { deviceClassName: className, allocationMode: 'ExactCount', count: amount - reused },
    },
    mappings: [...mappings, mapping(name)],
  };
}
