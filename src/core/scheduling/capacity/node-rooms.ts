import type { ClusterState } from '../../cluster/cluster-state.js';
import { hostPortsOf } from '../../cluster/host-ports.js';
import { addRequest, podRequestOf } from '../../cluster/pod-request.js';
import { addInt64, int64 } from '../../cluster/resource-table.js';
import type { Int64 } from '../../kubernetes/objects/meta.js';
import type { Pod } from '../../kubernetes/objects/pod.js';
import type { VolumeClaimTemplate } from '../../kubernetes/objects/workloads.js';
import { evaluatePlacement } from '../../placement/evaluate-placement.js';
import { FEASIBLE, type Placement } from '../../placement/placement.js';
import { delegatedResources } from '../../placement/plugins/dynamic-resources/delegated-resources.js';
import { NAME as AFFINITY } from '../../placement/plugins/inter-pod-affinity/inter-pod-affinity.js';
import { NAME as FIT } from '../../placement/plugins/node-resources-fit/node-resources-fit.js';
import type { Reason } from '../../placement/reason.js';
import { schedulerRequest } from '../../resources/request-vector.js';
import { mindsOthers, OF_ONE_NODE } from '../run/filter-dependencies.js';
import type { SchedulingProfile } from '../schedule-pod.js';

/** How many replicas of a pod fit on each node, and what keeps the next one off. */
export interface Room {
  /** By node index. */
  readonly replicas: Float64Array;
  readonly total: number;
  /** The placement of one more replica, in the state in which all of these are placed. */
  readonly next: () => Placement;
}

/** A question about replicas of a pod. */
export interface RoomQuestion {
  readonly pod: Pod;
  readonly profile: SchedulingProfile;
  /** As `EvaluationQuestion.unknowns`. */
  readonly unknowns: readonly Reason[];
  /** The claim templates of the StatefulSet that creates the replicas. */
  readonly claimTemplates?: readonly VolumeClaimTemplate[];
  /** The prefix of the replicas' names; by default the name of the pod. */
  readonly replicaPrefix?: string;
}

/**
 * How many replicas of a pod fit, if only the nodes' own resources, taints, labels and cordons matter. Then nodes are
 * independent of each other and the order of placement is irrelevant: each node takes its free amount divided by the request,
 * rounded down, for the scarcest resource.
 *
 * @returns undefined if anything else can affect the pod: other pods, host ports, volumes, claims, or a nominated pod that
 *   counts
 * @throws QuantityError for a pod with an invalid quantity in its requests
 */
export function roomByNode(state: ClusterState, { pod, profile, unknowns }: RoomQuestion): Room | undefined {
  const { gates, filters } = profile;
  if (hostPortsOf(pod.spec, state.rules).length > 0) return undefined;
  const request = schedulerRequest(pod, state.rules);
  if (delegatedResources(state, request.scalars.keys()).size > 0) return undefined;
  const placement = evaluatePlacement(state, { pod, gates, filters, unknowns });
  if (placement.input.nominated.length > 0) return undefined;
  const others = placement.plugins.filter(
    ({ name, preFilter }) => preFilter.outcome !== 'Skip' && !OF_ONE_NODE.has(name),
  );
  // Pods without terms do not change the anti-affinity of existing pods.
  if (others.some(({ name }) => name !== AFFINITY) || mindsOthers(pod)) return undefined;
  if (!filters.some(({ name }) => name === FIT)) return undefined;
  const { allocatable, requested } = state.nodes;
  const { entries } = podRequestOf(pod, state.rules);
  const { ignoredResources, ignoredResourceGroups } = profile.args.nodeResourcesFit;
  const isIgnored = (name: string): boolean =>
    ignoredResources.includes(name) || ignoredResourceGroups.includes(name.split('/')[0]!);
  const asked = [
    ['pods', 1n] as const,
    ['cpu', request.milliCPU] as const,
    ['memory', request.memory] as const,
    ['ephemeral-storage', request.ephemeralStorage] as const,
    ...[...request.scalars].filter(([name]) => !isIgnored(name)),
  ].filter(([, amount]) => amount > 0n);
  const demands = asked.map(([resource, amount]) => ({
    resource,
    amount,
    plain: Number(amount),
    held: entries.find(([name]) => name === resource)?.[1] ?? 0,
    has: allocatable.column(resource)?.values,
    used: requested.column(resource)?.values,
  }));
  // The amount added to a node must equal the amount that the filter compares; otherwise the division would be wrong.
  if (demands.some(({ amount, held }) => BigInt(held) !== amount)) return undefined;
  const { verdicts } = placement;
  const replicas = new Float64Array(verdicts.length);
  let total = 0;
  for (let node = 0; node < verdicts.length; node++) {
    if (verdicts[node] !== FEASIBLE) continue;
    let least = Number.POSITIVE_INFINITY;
    for (const { resource, amount, plain, has, used } of demands) {
      const free = (has?.[node] ?? 0) - (used?.[node] ?? 0);
      const fits =
        Number.isSafeInteger(free) && Number.isSafeInteger(plain)
          ? Math.floor(free / plain)
          : Number((BigInt(allocatable.at(resource, node)) - BigInt(requested.at(resource, node))) / amount);
      if (fits < least) least = fits;
    }
    replicas[node] = least;
    total += least;
  }
  const held = entries;
  const next = (): Placement => evaluatePlacement(filled(state, replicas, held), { pod, gates, filters, unknowns });
  return { replicas, total, next };
}

/** The state after the given numbers of replicas have been added to the requests of each node. */
function filled(
  state: ClusterState,
  replicas: Float64Array,
  entries: readonly (readonly [string, Int64])[],
): ClusterState {
  const { requested } = state.nodes;
  const rows = new Map<number, ReadonlyMap<string, Int64>>();
  for (let node = 0; node < replicas.length; node++) {
    const count = replicas[node]!;
    if (count === 0) continue;
    const row = new Map<string, Int64>();
    for (const name of requested.names) {
      const amount = requested.at(name, node);
      if (amount !== 0) row.set(name, amount);
    }
    addRequest(
      row,
      entries.map(([name, amount]) => [name, times(amount, count)] as const),
    );
    rows.set(node, row);
  }
  return state.withRequested(rows);
}

function times(amount: Int64, count: number): Int64 {
  const product = Number(amount) * count;
  return Number.isSafeInteger(product) ? product : addInt64(0, int64(BigInt(amount) * BigInt(count)));
}
