import type { ClusterState } from '../cluster/cluster-state.js';
import type { Workload } from '../cluster/pod-table.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint } from '../kubernetes/taint.js';
import { NO_MATCH, type NameSearch } from './name-search.js';
import { workloadKey, type PodGroups } from './pod-groups.js';

/** Rows processed between two yields. */
const STRIDE = 2048;
const WORKLOAD_KINDS = [
  ...(['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'ReplicaSet', 'ReplicationController'] as const),
];

type WorkloadKind = (typeof WORKLOAD_KINDS)[number];

export const isWorkloadKind = (kind: string): kind is WorkloadKind => WORKLOAD_KINDS.includes(kind as WorkloadKind);

/** The names of a state besides those of its nodes and pods, which are in columns. */
export interface StateNames {
  /** Without single pods. */
  readonly workloads: readonly { readonly workload: Workload; readonly pods: number }[];
  readonly namespaces: readonly { readonly name: string; readonly pods: number }[];
}

/** Workloads with pods and without, and namespaces likewise. */
export function namesOf(state: ClusterState, { byWorkload }: PodGroups): StateNames {
  const workloads = new Map<string, { readonly workload: Workload; readonly pods: number }>();
  const namespaces = new Map<string, number>();
  for (const { metadata } of state.objects('Namespace')) namespaces.set(metadata.name, 0);
  for (const { workload, groups } of byWorkload) {
    const pods = groups.reduce((sum, group) => sum + group.pods, 0);
    namespaces.set(workload.namespace, (namespaces.get(workload.namespace) ?? 0) + pods);
    if (workload.kind !== 'Pod') workloads.set(workloadKey(workload), { workload, pods });
  }
  for (const kind of WORKLOAD_KINDS) {
    for (const { metadata } of state.objects(kind)) {
      if (metadata.ownerReferences?.some(({ controller }) => controller === true) === true) continue;
      const workload = { kind, namespace: metadata.namespace ?? '', name: metadata.name };
      const key = workloadKey(workload);
      if (!workloads.has(key)) workloads.set(key, { workload, pods: 0 });
    }
  }
  return {
    workloads: [...workloads.values()],
    namespaces: [...namespaces].map(([name, pods]) => ({ name, pods })),
  };
}

/** Something of a state whose name has the text, and how well: a place in `MATCHES`. */
export type Found = { readonly rank: number } & (
  | { readonly kind: 'node'; readonly index: number; readonly name: string }
  | { readonly kind: 'pod'; readonly index: number; readonly name: string }
  | { readonly kind: 'workload'; readonly workload: Workload; readonly pods: number; readonly name: string }
  | { readonly kind: 'namespace'; readonly pods: number; readonly name: string }
  | { readonly kind: 'taint'; readonly taint: Taint; readonly nodes: number; readonly name: string }
);

/** The distinct taints of a state, with the number of nodes that have each. */
export type CountedTaints = readonly { readonly taint: Taint; readonly nodes: number }[];

/**
 * Everything in a state whose name has the text, in no particular order. A generator, so that the caller can let other work run in
 * between; it yields nothing.
 *
 * @param taints those that the caller may see
 */
export function* searchState(
  { nodes, pods }: ClusterState,
  { workloads, namespaces }: StateNames,
  taints: CountedTaints,
  search: NameSearch,
  found: (one: Found) => void,
): Generator<undefined, void> {
  for (let index = 0; index < nodes.count; index++) {
    if (index % STRIDE === STRIDE - 1) yield undefined;
    const name = nodes.name(index);
    const rank = search.rank(name);
    if (rank !== NO_MATCH) found({ kind: 'node', rank, index, name });
  }
  for (let at = 0; at < workloads.length; at++) {
    if (at % STRIDE === STRIDE - 1) yield undefined;
    const { workload, pods: count } = workloads[at]!;
    const { name, namespace } = workload;
    const rank = search.rank(name, namespace);
    if (rank !== NO_MATCH) found({ kind: 'workload', rank, workload, pods: count, name });
  }
  for (const { name, pods: count } of namespaces) {
    const rank = search.rank(name);
    if (rank !== NO_MATCH) found({ kind: 'namespace', rank, pods: count, name });
  }
  for (const { taint, nodes: count } of taints) {
    const { key, value = '' } = taint;
    const ranks = [search.rank(key), value === '' ? NO_MATCH : search.rank(value), search.rank(formatTaint(taint))];
    const rank = Math.min(...ranks);
    if (rank !== NO_MATCH) found({ kind: 'taint', rank, taint, nodes: count, name: key });
  }
  for (let index = 0; index < pods.count; index++) {
    if (index % STRIDE === STRIDE - 1) yield undefined;
    const name = pods.name(index);
    const rank = search.rank(name, pods.namespace(index));
    if (rank !== NO_MATCH) found({ kind: 'pod', rank, index, name });
  }
}
