import { compare } from '../json/compare.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import type { Quantity } from '../kubernetes/quantity.js';
import { containerAmounts, isSidecar, type ContainerAmounts, type CountedLists } from './aggregate-containers.js';
import { limitLists, podLevelLimits } from './pod-limits.js';
import { podLevelRequests, requestLists } from './pod-requests.js';
import type { PodResourcesOptions } from './pod-resources-options.js';
import { parseResourceList, type ResourceAmounts } from './resource-amounts.js';

export type ContainerRole = 'container' | 'sidecar' | 'init';

/** What one container adds. */
export interface Addend {
  readonly container: string;
  readonly role: ContainerRole;
  readonly amount: Quantity;
}

/** Containers that run at one time, and what they come to. */
export interface Together {
  /** Those that name the resource, in the order in which they are added. */
  readonly addends: readonly Addend[];
  readonly total: Quantity;
}

/** How a pod's effective request or limit of one resource comes about. */
export interface ResourceSum {
  readonly resource: string;
  /** The containers and sidecars, once the pod runs; absent where none of them names the resource. */
  readonly running?: Together;
  /**
   * The moment of the start that needs most: an init container with the sidecars before it, or the sidecars alone; absent
   * where none of them names the resource.
   */
  readonly starting?: Together;
  /** Which of the two is larger; running where they are equal. Absent where the pod's containers do not name the resource. */
  readonly decidedBy?: 'running' | 'starting';
  /** The larger of the two. */
  readonly ofContainers?: Quantity;
  /** What the pod as a whole asks, in the place of what its containers come to. */
  readonly ofPod?: Quantity;
  readonly overhead?: Quantity;
  /** False where overhead adds to no limit, since there is none, or one of zero. */
  readonly overheadCounts: boolean;
  readonly total: Quantity;
}

/**
 * A pod's effective requests, spelled out: as `podRequests`, resource by resource; cpu, memory and ephemeral-storage first, then the
 * others by name.
 *
 * @throws QuantityError for a text that is no quantity
 */
export function requestSums(
  pod: Pick<Pod, 'spec' | 'status'>,
  options: PodResourcesOptions = {},
): readonly ResourceSum[] {
  return sums(pod, options, {
    lists: requestLists(options),
    ofPod: podLevelRequests(pod, options),
    takesOverhead: () => true,
  });
}

/**
 * A pod's effective limits, spelled out: as `podLimits`.
 *
 * @throws QuantityError for a text that is no quantity
 */
export function limitSums(
  pod: Pick<Pod, 'spec' | 'status'>,
  options: PodResourcesOptions = {},
): readonly ResourceSum[] {
  return sums(pod, options, {
    lists: limitLists(options),
    ofPod: podLevelLimits(pod, options),
    takesOverhead: (limit) => limit?.isZero() === false,
  });
}

interface Rules {
  readonly lists: CountedLists;
  readonly ofPod: ReadonlyMap<string, Quantity>;
  readonly takesOverhead: (amount: Quantity | undefined) => boolean;
}

const FIRST = ['cpu', 'memory', 'ephemeral-storage'];

function sums(
  pod: Pick<Pod, 'spec' | 'status'>,
  { excludeOverhead }: PodResourcesOptions,
  { lists, ofPod, takesOverhead }: Rules,
): readonly ResourceSum[] {
  const parts = countedParts(pod, containerAmounts(pod, lists));
  const overheads: ResourceAmounts =
    excludeOverhead === true ? new Map<string, never>() : parseResourceList(pod.spec.overhead);
  const names = new Set([...parts.flatMap(({ amounts }) => [...amounts.keys()]), ...ofPod.keys(), ...overheads.keys()]);
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return [...names]
    .sort((a, b) => rank(a) - rank(b) || compare(a, b))
    .flatMap((resource) => {
      const ofContainers = sumOfContainers(parts, resource);
      const instead = ofPod.get(resource);
      const before = instead ?? ofContainers.ofContainers;
      const overhead = overheads.get(resource);
      const overheadCounts = overhead !== undefined && takesOverhead(before);
      const total = overheadCounts ? (before?.add(overhead) ?? overhead) : before;
      if (total === undefined) return [];
      return [
        {
          resource,
          ...ofContainers,
          ...(instead !== undefined && { ofPod: instead }),
          ...(overhead !== undefined && { overhead }),
          overheadCounts,
          total,
        },
      ];
    });
}

interface Part {
  readonly container: string;
  readonly role: ContainerRole;
  readonly amounts: ResourceAmounts;
}

/** The containers, then the init containers, each in its order. */
function countedParts({ spec }: Pick<Pod, 'spec'>, amountsOf: ContainerAmounts): readonly Part[] {
  return [
    ...spec.containers.map((container): Part => {
      return { container: container.name, role: 'container', amounts: amountsOf(container, true) };
    }),
    ...(spec.initContainers ?? []).map((container): Part => {
      const keepsRunning = isSidecar(container);
      const role = keepsRunning ? 'sidecar' : 'init';
      return { container: container.name, role, amounts: amountsOf(container, keepsRunning) };
    }),
  ];
}

function sumOfContainers(
  parts: readonly Part[],
  resource: string,
): Pick<ResourceSum, 'running' | 'starting' | 'decidedBy' | 'ofContainers'> {
  let running: Together | undefined;
  let sidecars: Together | undefined;
  let starting: Together | undefined;
  for (const { container, role, amounts } of parts) {
    const amount = amounts.get(resource);
    const own = amount === undefined ? undefined : { addends: [{ container, role, amount }], total: amount };
    if (role !== 'init') running = together(running, own);
    if (role === 'sidecar') sidecars = together(sidecars, own);
    if (role !== 'container') starting = larger(starting, role === 'init' ? together(own, sidecars) : sidecars);
  }
  const most = larger(running, starting);
  if (most === undefined) return {};
  return {
    ...(running !== undefined && { running }),
    ...(starting !== undefined && { starting }),
    decidedBy: most.addends === running?.addends ? 'running' : 'starting',
    ofContainers: most.total,
  };
}

function together(first: Together | undefined, second: Together | undefined): Together | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return { addends: [...first.addends, ...second.addends], total: first.total.add(second.total) };
}

/** Of two equal ones the first; written as upstream writes the maximum of two. */
function larger(first: Together | undefined, second: Together | undefined): Together | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const { addends } = second.total.cmp(first.total) > 0 ? second : first;
  return { addends, total: first.total.max(second.total) };
}
