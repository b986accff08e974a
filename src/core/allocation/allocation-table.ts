import { compare } from '../json/compare.js';
import type { ResourceList } from '../kubernetes/objects/meta.js';
import { parseResourceList, type ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isHugePageResource } from '../kubernetes/resource-names.js';
import type { PodShare, RequestsAndLimits } from './pod-share.js';

/** An amount of a resource, and its percentage of the node's allocatable amount. */
export interface Allocated {
  readonly quantity: Quantity;
  /** Truncated, not rounded; absent for extended resources, for which kubectl shows none. */
  readonly percent?: bigint;
}

/** A row of `Non-terminated Pods`. */
export interface PodAllocation {
  readonly share: PodShare;
  readonly cpuRequests: Allocated;
  readonly cpuLimits: Allocated;
  readonly memoryRequests: Allocated;
  readonly memoryLimits: Allocated;
}

/** A row of `Allocated resources`. */
export interface ResourceAllocation {
  readonly resource: string;
  readonly requests: Allocated;
  readonly limits: Allocated;
}

/** The two tables of `kubectl describe node` as numbers. */
export interface AllocationTable {
  /** In order of namespace and name. */
  readonly pods: readonly PodAllocation[];
  /** cpu, memory and ephemeral-storage; then the node's huge pages, then its other resources, each by name. */
  readonly resources: readonly ResourceAllocation[];
}

const ALWAYS_SHOWN = ['cpu', 'memory', 'ephemeral-storage'];

/**
 * The tables of a node with these allocatable amounts and these pods, none of which has ended.
 *
 * The row of a pod includes the resources in its status, but the sums are based only on specs, so they can differ.
 *
 * Source: k8s.io/kubectl v0.36.2, pkg/describe/describe.go, `describeNodeResource`.
 */
export function allocationTable(allocatable: ResourceAmounts, pods: readonly PodShare[]): AllocationTable {
  const sorted = [...pods].sort((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name));
  return {
    pods: sorted.map((share) => podAllocation(allocatable, share)),
    resources: resourceAllocations(allocatable, sumCounted(sorted)),
  };
}

/** The effective requests and limits of several pods. */
export interface CountedSums extends RequestsAndLimits {
  /** Whether the addends of a sum have different notations, so that its text depends on their order. */
  readonly mixed: boolean;
}

/** Adds up the amounts that kubectl counts. A sum has the notation of its first addend other than zero. */
export function sumCounted(pods: readonly Pick<PodShare, 'counted'>[]): CountedSums {
  const requests: ResourceAmounts = new Map();
  const limits: ResourceAmounts = new Map();
  let mixed = false;
  const add = (into: ResourceAmounts, list: ReadonlyMap<string, Quantity>): void => {
    for (const [name, quantity] of list) {
      const present = into.get(name);
      if (present === undefined) into.set(name, quantity);
      else {
        if (present.format !== quantity.format && !present.isZero() && !quantity.isZero()) mixed = true;
        into.set(name, present.add(quantity));
      }
    }
  };
  for (const { counted } of pods) {
    add(requests, counted.requests);
    add(limits, counted.limits);
  }
  return { requests, limits, mixed };
}

/** The rows of the second table. */
export function resourceAllocations(
  allocatable: ResourceAmounts,
  { requests, limits }: RequestsAndLimits,
): readonly ResourceAllocation[] {
  return shownResources(allocatable).map((resource) => {
    const withPercent = ALWAYS_SHOWN.includes(resource) || isHugePageResource(resource);
    const allocated = (amounts: ResourceAmounts): Allocated => {
      const quantity = amounts.get(resource) ?? Quantity.ZERO;
      if (!withPercent) return { quantity };
      const whole = amountInUnits(resource, allocatable.get(resource));
      return { quantity, percent: whole === 0n ? 0n : percentOf(amountInUnits(resource, quantity), whole) };
    };
    return { resource, requests: allocated(requests), limits: allocated(limits) };
  });
}

/** The amounts that kubectl's percentages refer to: `status.allocatable`, or `status.capacity` if the former is empty. */
export function shownAllocatable(
  status: { readonly allocatable?: ResourceList; readonly capacity?: ResourceList } | undefined,
): ResourceAmounts {
  const { allocatable = {}, capacity } = status ?? {};
  return parseResourceList(Object.keys(allocatable).length > 0 ? allocatable : capacity);
}

function podAllocation(allocatable: ResourceAmounts, share: PodShare): PodAllocation {
  const allocated = (resource: string, amounts: ResourceAmounts): Allocated => {
    const quantity = amounts.get(resource) ?? Quantity.ZERO;
    return {
      quantity,
      percent: percentOf(amountInUnits(resource, quantity), amountInUnits(resource, allocatable.get(resource))),
    };
  };
  const { requests, limits } = share.shown;
  return {
    share,
    cpuRequests: allocated('cpu', requests),
    cpuLimits: allocated('cpu', limits),
    memoryRequests: allocated('memory', requests),
    memoryLimits: allocated('memory', limits),
  };
}

function shownResources(allocatable: ResourceAmounts): readonly string[] {
  const others = [...allocatable.keys()].filter((name) => name !== 'pods' && !ALWAYS_SHOWN.includes(name)).sort();
  return [...ALWAYS_SHOWN, ...others.filter(isHugePageResource), ...others.filter((name) => !isHugePageResource(name))];
}

/** The amount in milliCPU for cpu, otherwise in whole units: bytes, or a count. */
export function amountInUnits(resource: string, quantity: Quantity | undefined): bigint {
  if (quantity === undefined) return 0n;
  return resource === 'cpu' ? quantity.milliValue() : quantity.value();
}

const INT64_MIN = -(2n ** 63n);

/**
 * `int64(float64(part) / float64(whole) * 100)` as computed on amd64: NaN, as for 0 of 0, and values beyond int64 become the
 * smallest int64.
 */
function percentOf(part: bigint, whole: bigint): bigint {
  const percent = Math.trunc((Number(part) / Number(whole)) * 100);
  return Math.abs(percent) < 2 ** 63 ? BigInt(percent) : INT64_MIN;
}
