import type { ClusterState } from '../cluster/cluster-state.js';
import { addInt64, subInt64 } from '../cluster/resource-table.js';
import { compare } from '../json/compare.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { ResourceAmounts } from '../kubernetes/pod-resources/resource-amounts.js';
import {
  allocationTable,
  resourceAllocations,
  shownAllocatable,
  sumCounted,
  type AllocationTable,
  type CountedSums,
  type ResourceAllocation,
} from './allocation-table.js';
import { readable, readablePodAmounts, SpecAmounts, type SpecShare } from './spec-amounts.js';

/** The free amount of a resource on a node, as the scheduler counts it: in milliCPU for cpu, otherwise in bytes or a count. */
export interface ResourceRoom {
  readonly resource: string;
  readonly allocatable: Int64;
  /** The requests of pods that have not ended, including the resources in their status. */
  readonly requested: Int64;
  /** The part of `requested` that is overhead. */
  readonly overhead: Int64;
  /** Negative if the node is overcommitted. */
  readonly free: Int64;
}

/** The amounts that a node's pods use on it. */
export interface NodeAllocationSummary {
  /** Index into the state's nodes. */
  readonly node: number;
  /** The number of pods that have not ended. */
  readonly podCount: number;
  /** The sums in kubectl's tables. */
  readonly resources: readonly ResourceAllocation[];
  /** cpu, memory, ephemeral-storage and pods, then the other resources that the node has or its pods request, by name. */
  readonly room: readonly ResourceRoom[];
}

/** The same, with a row for each pod. */
export interface NodeAllocation extends NodeAllocationSummary, AllocationTable {}

/** Pods processed between two yields. */
const STRIDE = 256;
const ALWAYS = ['cpu', 'memory', 'ephemeral-storage', 'pods'];

/** Names of resources, each once: CPU, memory, ephemeral storage and pods, then the others by name. */
export function resourcesInOrder(names: Iterable<string>): readonly string[] {
  const found = new Set(names);
  return [...ALWAYS.filter((name) => found.has(name)), ...[...found].filter((name) => !ALWAYS.includes(name)).sort()];
}

/** The amounts that the pods of one node use on it. */
export function nodeAllocation(state: ClusterState, node: number): NodeAllocation {
  const amounts = new SpecAmounts(state.pods);
  const pods = activePods(state, node);
  const shares = pods.map((index) => {
    const pod = state.pods.pod(index);
    const { namespace = '', name, creationTimestamp = '' } = pod.metadata;
    return { namespace, name, creationTimestamp, ...readablePodAmounts(pod) };
  });
  return {
    node,
    podCount: pods.length,
    ...allocationTable(allocatableOf(state, node), shares),
    room: roomOf(state, node, overheadOf(pods.map((pod) => amounts.of(pod)))),
  };
}

/**
 * The amounts that the pods of each node use on it, by node. A generator, so that the caller can let other work run in
 * between; it yields nothing.
 */
export function* stepNodeAllocations(state: ClusterState): Generator<undefined, readonly NodeAllocationSummary[]> {
  const amounts = new SpecAmounts(state.pods);
  const summaries: NodeAllocationSummary[] = [];
  let steps = 0;
  for (let node = 0; node < state.nodes.count; node++) {
    const pods = activePods(state, node);
    steps += pods.length + 1;
    if (steps >= STRIDE) {
      steps = 0;
      yield undefined;
    }
    const shares = pods.map((pod) => amounts.of(pod));
    summaries.push({
      node,
      podCount: pods.length,
      resources: resourceAllocations(allocatableOf(state, node), sumsOf(state, pods, shares)),
      room: roomOf(state, node, overheadOf(shares)),
    });
  }
  return summaries;
}

const allocatableOf = ({ nodes }: ClusterState, node: number): ResourceAmounts =>
  readable(() => shownAllocatable(nodes.node(node).status), new Map<string, never>());

function activePods({ nodes, pods }: ClusterState, node: number): readonly number[] {
  return Array.from(nodes.podsOf(node)).filter((pod) => pods.active(pod));
}

/** Adds up in the order of the table only if that affects the result, because sorting takes longer than adding up. */
function sumsOf({ pods: table }: ClusterState, pods: readonly number[], shares: readonly SpecShare[]): CountedSums {
  const sums = sumCounted(shares);
  if (!sums.mixed) return sums;
  const sorted = pods
    .map((pod, index) => ({ share: shares[index]!, namespace: table.namespace(pod), name: table.name(pod) }))
    .sort((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name));
  return sumCounted(sorted.map(({ share }) => share));
}

function overheadOf(shares: readonly SpecShare[]): ReadonlyMap<string, Int64> {
  const sums = new Map<string, Int64>();
  for (const { overhead } of shares) {
    for (const [resource, amount] of overhead) sums.set(resource, addInt64(sums.get(resource) ?? 0, amount));
  }
  return sums;
}

function roomOf(
  { nodes: { allocatable, requested } }: ClusterState,
  node: number,
  overhead: ReadonlyMap<string, Int64>,
): readonly ResourceRoom[] {
  const shown = resourcesInOrder([...ALWAYS, ...allocatable.names, ...requested.names]).filter(
    (name) => ALWAYS.includes(name) || allocatable.at(name, node) !== 0 || requested.at(name, node) !== 0,
  );
  return shown.map((resource) => {
    const has = allocatable.at(resource, node);
    const asked = requested.at(resource, node);
    return {
      resource,
      allocatable: has,
      requested: asked,
      overhead: overhead.get(resource) ?? 0,
      free: subInt64(has, asked),
    };
  });
}
