import type { ClusterState } from '../cluster/cluster-state.js';
import type { NodeResources } from '../cluster/node-table.js';
import { compare } from '../json/compare.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { Int64 } from '../kubernetes/objects/meta.js';
import type { Taint } from '../kubernetes/objects/taints.js';

/** Rows processed between two yields. */
const STRIDE = 2048;

/** An overview of a state. */
export interface StateOverview {
  readonly nodes: {
    readonly total: number;
    readonly ready: number;
    readonly notReady: number;
    readonly unschedulable: number;
    readonly tainted: number;
  };
  /** The distinct taints by key, value and effect, the most frequent first. */
  readonly taints: readonly { readonly taint: Taint; readonly nodes: number }[];
  readonly pods: {
    readonly total: number;
    readonly pending: number;
    readonly unscheduled: number;
    readonly byPhase: readonly { readonly phase: string; readonly pods: number }[];
  };
  readonly resources: readonly { readonly resource: string; readonly allocatable: Int64; readonly requested: Int64 }[];
  /** Without kinds that have no objects. */
  readonly objects: readonly { readonly kind: KeptKind; readonly objects: number }[];
}

/**
 * Counts the contents of a state. A generator, so that the caller can let other work run in between; it yields nothing.
 */
export function* stepOverview(state: ClusterState): Generator<undefined, StateOverview> {
  const { nodes } = state;
  const counts = { total: nodes.count, ready: 0, notReady: 0, unschedulable: 0, tainted: 0 };
  const nodesPerSet = new Map<number, number>();
  for (let node = 0; node < nodes.count; node++) {
    if (node % STRIDE === STRIDE - 1) yield undefined;
    const { status } = nodes.node(node);
    const isReady = status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true;
    counts[isReady ? 'ready' : 'notReady']++;
    if (nodes.unschedulable[node] === 1) counts.unschedulable++;
    const set = nodes.taintSetId(node);
    if (state.taintSets[set]!.length > 0) counts.tainted++;
    nodesPerSet.set(set, (nodesPerSet.get(set) ?? 0) + 1);
  }
  const pods = yield* countPods(state);
  return {
    nodes: counts,
    taints: countTaints(state, nodesPerSet),
    pods,
    resources: sumResources(state),
    objects: countObjects(state),
  };
}

function countTaints(
  { taintSets }: ClusterState,
  nodesPerSet: ReadonlyMap<number, number>,
): { readonly taint: Taint; readonly nodes: number }[] {
  const found = new Map<string, { readonly taint: Taint; nodes: number }>();
  for (const [set, nodes] of nodesPerSet) {
    // A node counts once for a duplicate taint, which Kubernetes' validation refuses.
    const ofSet = new Map(
      taintSets[set]!.map((taint) => [JSON.stringify([taint.key, taint.value ?? '', taint.effect]), taint]),
    );
    for (const [key, taint] of ofSet) {
      const known = found.get(key);
      if (known === undefined) found.set(key, { taint, nodes });
      else known.nodes += nodes;
    }
  }
  return [...found]
    .sort(([a, one], [b, other]) => other.nodes - one.nodes || compare(a, b))
    .map(([, counted]) => counted);
}

function* countPods({ pods }: ClusterState): Generator<undefined, StateOverview['pods']> {
  const phases = new Map<string, number>();
  let unscheduled = 0;
  for (let pod = 0; pod < pods.count; pod++) {
    if (pod % STRIDE === STRIDE - 1) yield undefined;
    const phase = pods.phase(pod);
    phases.set(phase, (phases.get(phase) ?? 0) + 1);
    if (phase === 'Pending' && pods.nodeName(pod) === '') unscheduled++;
  }
  const byPhase = [...phases]
    .map(([phase, count]) => ({ phase, pods: count }))
    .sort((a, b) => b.pods - a.pods || compare(a.phase, b.phase));
  return { total: pods.count, pending: phases.get('Pending') ?? 0, unscheduled, byPhase };
}

function sumResources({ nodes }: ClusterState): StateOverview['resources'] {
  const { allocatable, requested, count } = nodes;
  const names = [...new Set([...allocatable.names, ...requested.names])].sort(compare);
  return names
    .map((resource) => ({
      resource,
      allocatable: sum(allocatable, resource, count),
      requested: sum(requested, resource, count),
    }))
    .filter((one) => one.allocatable !== 0 || one.requested !== 0);
}

/** The exact sum: a number if that is exact, otherwise a bigint. */
function sum(resources: NodeResources, resource: string, nodes: number): Int64 {
  const column = resources.column(resource);
  if (column === undefined) return 0;
  let small = 0;
  let large = 0n;
  for (let node = 0; node < nodes; node++) {
    const amount = column.at(node);
    if (typeof amount === 'bigint') large += amount;
    else if (Number.isSafeInteger(small + amount)) small += amount;
    else large += BigInt(amount);
  }
  const total = large + BigInt(small);
  return total >= BigInt(Number.MIN_SAFE_INTEGER) && total <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(total) : total;
}

const countObjects = (state: ClusterState): StateOverview['objects'] =>
  Array.from(state.loadedKinds, (kind) => ({ kind, objects: state.count(kind) }))
    .filter(({ objects }) => objects > 0)
    .sort((a, b) => b.objects - a.objects || compare(a.kind, b.kind));
