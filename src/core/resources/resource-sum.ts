import { defined } from '../collections/defined.js';
import { compare } from '../json/compare.js';
import type { Pod } from '../kubernetes/objects/pod.js';
import {
  containerAmounts,
  isSidecar,
  type ContainerAmounts,
  type CountedLists,
} from '../kubernetes/pod-resources/aggregate-containers.js';
import { limitLists, podLevelLimits } from '../kubernetes/pod-resources/pod-limits.js';
import { podLevelRequests, requestLists } from '../kubernetes/pod-resources/pod-requests.js';
import type { PodResourcesOptions } from '../kubernetes/pod-resources/pod-resources-options.js';
import { parseResourceList, type ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import type { Quantity } from '../kubernetes/quantity.js';

export type ContainerRole = 'container' | 'sidecar' | 'init';

/** The amount that one container adds. */
export interface Addend {
  readonly container: string;
  readonly role: ContainerRole;
  readonly amount: Quantity;
}

/** Containers that run at the same time, and their sum. */
export interface Together {
  /** Those with the resource, in the order of addition. */
  readonly addends: readonly Addend[];
  readonly total: Quantity;
}

/** The calculation of a pod's effective request or limit of one resource. */
export interface ResourceSum {
  readonly resource: string;
  /** The containers and sidecars of the running pod; absent if none of them has the resource. */
  readonly running?: Together;
  /**
   * The moment of the start that needs the most: an init container with the sidecars before it, or the sidecars alone; absent
   * if none of them has the resource.
   */
  readonly starting?: Together;
  /** The larger of the two, `running` if they are equal. Absent if no container has the resource. */
  readonly decidedBy?: 'running' | 'starting';
  /** The larger of the two. */
  readonly ofContainers?: Quantity;
  /** The pod-level amount, which replaces that of the containers. */
  readonly ofPod?: Quantity;
  readonly overhead?: Quantity;
  /** False if overhead is not added, because there is no limit, or one of zero. */
  readonly overheadCounts: boolean;
  readonly total: Quantity;
}

/**
 * A pod's effective requests as calculations, with the results of `podRequests`: cpu, memory and ephemeral-storage first, then
 * the others by name.
 *
 * @throws QuantityError for an invalid quantity
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

/** A pod's effective limits as calculations, with the results of `podLimits`. */
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
  const addends = addendsByResource(parts);
  const names = new Set([...addends.keys(), ...ofPod.keys(), ...overheads.keys()]);
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return [...names]
    .sort((a, b) => rank(a) - rank(b) || compare(a, b))
    .flatMap((resource) => {
      const ofContainers = sumOfContainers(addends.get(resource) ?? []);
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
          ...defined({ ofPod: instead, overhead }),
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

/** The containers, then the init containers, each in their order. */
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

/**
 * The addends by resource, in the order of the parts. One pass over the containers, because a pass for every resource would be
 * slow.
 */
function addendsByResource(parts: readonly Part[]): ReadonlyMap<string, readonly Addend[]> {
  const byResource = new Map<string, Addend[]>();
  for (const { container, role, amounts } of parts) {
    for (const [resource, amount] of amounts) {
      const addend: Addend = { container, role, amount };
      const before = byResource.get(resource);
      if (before === undefined) byResource.set(resource, [addend]);
      else before.push(addend);
    }
  }
  return byResource;
}

/** A moment of the start: an init container, if there is one, with the first `sidecars` of the sidecars. */
interface Moment {
  readonly total: Quantity;
  readonly own?: Addend;
  readonly sidecars: number;
}

function sumOfContainers(
  addends: readonly Addend[],
): Pick<ResourceSum, 'running' | 'starting' | 'decidedBy' | 'ofContainers'> {
  const running: Addend[] = [];
  const sidecars: Addend[] = [];
  let runningTotal: Quantity | undefined;
  let sidecarTotal: Quantity | undefined;
  let start: Moment | undefined;
  for (const addend of addends) {
    const { role, amount } = addend;
    if (role !== 'init') {
      running.push(addend);
      runningTotal = runningTotal?.add(amount) ?? amount;
    }
    if (role === 'sidecar') {
      sidecars.push(addend);
      sidecarTotal = sidecarTotal?.add(amount) ?? amount;
      start = larger(start, { total: sidecarTotal, sidecars: sidecars.length });
    }
    if (role === 'init') {
      const total = sidecarTotal === undefined ? amount : amount.add(sidecarTotal);
      start = larger(start, { total, own: addend, sidecars: sidecars.length });
    }
  }
  const isStart = start !== undefined && (runningTotal === undefined || start.total.cmp(runningTotal) > 0);
  const most =
    runningTotal === undefined ? start?.total : start === undefined ? runningTotal : runningTotal.max(start.total);
  if (most === undefined) return {};
  return {
    ...(runningTotal !== undefined && { running: { addends: running, total: runningTotal } }),
    ...(start !== undefined && {
      starting: {
        addends: [...(start.own === undefined ? [] : [start.own]), ...sidecars.slice(0, start.sidecars)],
        total: start.total,
      },
    }),
    decidedBy: isStart ? 'starting' : 'running',
    ofContainers: most,
  };
}

/** The first of two equal ones; in the notation of upstream's maximum of the two. */
function larger(first: Moment | undefined, second: Moment): Moment {
  if (first === undefined) return second;
  return { ...(second.total.cmp(first.total) > 0 ? second : first), total: first.total.max(second.total) };
}
