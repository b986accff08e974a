import { defined } from '../../collections/defined.js';
import { Quantity } from '../../kubernetes/quantity.js';
import type { Container, Pod, ResourceRequirements } from '../../kubernetes/objects/pod.js';
import { schedulerRequest } from '../../resources/request-vector.js';
import { int64 } from '../../cluster/resource-table.js';
import { quantity } from '../plugins/node-resources-fit/node-resources-fit.js';

/** A pod that asks for less of a resource, and the pod's whole request before and after. */
export interface LoweredRequest {
  readonly pod: Pod;
  readonly from: string;
  readonly to: string;
  readonly by: string;
}

/**
 * Lowers a pod's request for a resource until the pod as a whole asks for no more than is available, taking from the
 * greatest request first. Undefined where that cannot be, as when overhead alone is more.
 */
export function loweredRequest(pod: Pod, resource: string, available: string): LoweredRequest | undefined {
  const free = amount(resource, available);
  const target = free > 0n ? free : 0n;
  const from = requestOf(pod, resource);
  let lowered = pod;
  for (const place of placesOf(pod, resource)) {
    const excess = requestOf(lowered, resource) - target;
    if (excess <= 0n) break;
    lowered = place(lowered, (held) => (held > excess ? held - excess : 0n));
  }
  const to = requestOf(lowered, resource);
  if (to > target || to >= from) return undefined;
  const shown = (value: bigint): string => quantity(resource, int64(value));
  return { pod: lowered, from: shown(from), to: shown(to), by: shown(from - to) };
}

type Lower = (held: bigint) => bigint;
type Place = (pod: Pod, lower: Lower) => Pod;

/** Where the pod requests the resource: for the pod as a whole, or in its containers, the greatest first. */
function placesOf(pod: Pod, resource: string): readonly Place[] {
  const { spec } = pod;
  if (held(spec.resources, resource) > 0n) {
    return [
      (given, lower) => ({ ...given, spec: { ...given.spec, resources: less(given.spec.resources, resource, lower) } }),
    ];
  }
  const containers = (['containers', 'initContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ list, index, held: held(container.resources, resource) })),
  );
  return containers
    .filter((container) => container.held > 0n)
    .sort((a, b) => (a.held < b.held ? 1 : a.held > b.held ? -1 : 0))
    .map(({ list, index }): Place => (given, lower) => ({
      ...given,
      spec: {
        ...given.spec,
        [list]: (given.spec[list] ?? []).map((container, i): Container =>
          i === index ? { ...container, resources: less(container.resources, resource, lower) } : container,
        ),
      },
    }));
}

function less(resources: ResourceRequirements | undefined, resource: string, lower: Lower): ResourceRequirements {
  const value = quantity(resource, int64(lower(held(resources, resource))));
  // What cannot be overcommitted has a limit equal to its request.
  const limits =
    resource.includes('/') || resource.startsWith('hugepages-')
      ? { ...resources?.limits, [resource]: value }
      : undefined;
  return {
    ...resources,
    requests: { ...resources?.requests, [resource]: value },
    ...defined({ limits }),
  };
}

function held(resources: ResourceRequirements | undefined, resource: string): bigint {
  const requests = resources?.requests;
  return requests === undefined || !Object.hasOwn(requests, resource) ? 0n : amount(resource, requests[resource]!);
}

function amount(resource: string, text: string): bigint {
  const parsed = Quantity.parse(text);
  return resource === 'cpu' ? parsed.milliValue() : parsed.value();
}

function requestOf(pod: Pod, resource: string): bigint {
  const { milliCPU, memory, ephemeralStorage, scalars } = schedulerRequest(pod);
  if (resource === 'cpu') return milliCPU;
  if (resource === 'memory') return memory;
  return resource === 'ephemeral-storage' ? ephemeralStorage : (scalars.get(resource) ?? 0n);
}
