import { defined } from '../../collections/defined.js';
import type { KubernetesRules } from '../../kubernetes/kubernetes-rules.js';
import { Quantity } from '../../kubernetes/quantity.js';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../kubernetes/objects/pod.js';
import { isOvercommitAllowed } from '../../kubernetes/resource-names.js';
import { schedulerRequest } from '../../resources/request-vector.js';
import { int64 } from '../../cluster/resource-table.js';
import { quantity } from '../plugins/node-resources-fit/node-resources-fit.js';

/** A pod that asks for less of a resource, and the pod's whole request before and after. */
export interface LoweredRequest {
  readonly edit: (pod: Pod) => Pod;
  readonly from: string;
  readonly to: string;
  readonly by: string;
  readonly summary: string;
  /** The part of the spec that changes, with only the containers whose requests do. */
  readonly shown: object;
}

/**
 * Lowers a pod's request for a resource until the pod as a whole asks for no more than is available, taking from the
 * greatest request first. Undefined where that cannot be, as when overhead alone is more, or where nothing is available: a pod that runs
 * needs something.
 */
export function loweredRequest(
  pod: Pod,
  resource: string,
  available: string,
  rules: KubernetesRules,
): LoweredRequest | undefined {
  const target = amount(resource, available);
  if (target <= 0n) return undefined;
  const from = requestOf(pod, resource, rules);
  const lowered: Lowered[] = [];
  let changed = pod;
  for (const place of placesOf(pod, resource)) {
    const excess = requestOf(changed, resource, rules) - target;
    if (excess <= 0n) break;
    const held = place.held > excess ? place.held - excess : 0n;
    const one = { ...place, value: quantity(resource, int64(held)) };
    lowered.push(one);
    changed = lower(changed, resource, one);
  }
  const to = requestOf(changed, resource, rules);
  if (to > target || to >= from) return undefined;
  const [asked, left, by] = [from, to, from - to].map((value) => quantity(resource, int64(value))) as [
    string,
    string,
    string,
  ];
  return {
    edit: (given) => lowered.reduce((edited, one) => lower(edited, resource, one), given),
    from: asked,
    to: left,
    by,
    summary: `request ${by} less ${resource}: ${left} instead of ${asked}`,
    shown: shownOf(resource, lowered),
  };
}

type ContainerList = 'containers' | 'initContainers';

/** Where a pod requests the resource: in a container, or for the pod as a whole. */
interface Place {
  readonly container?: { readonly list: ContainerList; readonly index: number; readonly name: string };
  readonly held: bigint;
}

interface Lowered extends Place {
  readonly value: string;
}

/** The request for the pod as a whole where there is one, else those of the containers, the greatest first. */
function placesOf({ spec }: Pod, resource: string): readonly Place[] {
  const ofPod = heldOf(spec.resources, resource);
  if (ofPod > 0n) return [{ held: ofPod }];
  return (['containers', 'initContainers'] as const)
    .flatMap((list) =>
      (spec[list] ?? []).map(({ name, resources }, index) => ({
        container: { list, index, name },
        held: heldOf(resources, resource),
      })),
    )
    .filter(({ held }) => held > 0n)
    .sort((a, b) => (a.held < b.held ? 1 : a.held > b.held ? -1 : 0));
}

function lower(pod: Pod, resource: string, { container, value }: Lowered): Pod {
  const { spec } = pod;
  if (container === undefined) return { ...pod, spec: { ...spec, resources: less(spec.resources, resource, value) } };
  const { list, index } = container;
  const containers = (spec[list] ?? []).map((one, i): Container =>
    i === index ? { ...one, resources: less(one.resources, resource, value) } : one,
  );
  return { ...pod, spec: { ...spec, [list]: containers } };
}

function less(resources: ResourceRequirements | undefined, resource: string, value: string): ResourceRequirements {
  const { requests, limits } = amounts(resource, value);
  return {
    ...resources,
    requests: { ...resources?.requests, ...requests },
    ...(limits === undefined ? {} : { limits: { ...resources?.limits, ...limits } }),
  };
}

/** The limit of what cannot be overcommitted is equal to its request. */
const amounts = (resource: string, value: string): Pick<ResourceRequirements, 'requests' | 'limits'> => ({
  requests: { [resource]: value },
  ...(isOvercommitAllowed(resource) ? {} : { limits: { [resource]: value } }),
});

function shownOf(resource: string, lowered: readonly Lowered[]): object {
  const listed = (wanted: ContainerList): readonly object[] | undefined => {
    const found = lowered.flatMap(({ container, value }) =>
      container?.list === wanted ? [{ name: container.name, resources: amounts(resource, value) }] : [],
    );
    return found.length === 0 ? undefined : found;
  };
  const ofPod = lowered.find(({ container }) => container === undefined);
  return defined({
    containers: listed('containers'),
    initContainers: listed('initContainers'),
    resources: ofPod === undefined ? undefined : amounts(resource, ofPod.value),
  } satisfies Partial<Record<keyof PodSpec, unknown>>);
}

function heldOf(resources: ResourceRequirements | undefined, resource: string): bigint {
  const requests = resources?.requests;
  return requests === undefined || !Object.hasOwn(requests, resource) ? 0n : amount(resource, requests[resource]!);
}

function amount(resource: string, text: string): bigint {
  const parsed = Quantity.parse(text);
  return resource === 'cpu' ? parsed.milliValue() : parsed.value();
}

function requestOf(pod: Pod, resource: string, rules: KubernetesRules): bigint {
  const { milliCPU, memory, ephemeralStorage, scalars } = schedulerRequest(pod, rules);
  if (resource === 'cpu') return milliCPU;
  if (resource === 'memory') return memory;
  return resource === 'ephemeral-storage' ? ephemeralStorage : (scalars.get(resource) ?? 0n);
}
