import type { ClusterState } from '../cluster/cluster-state.js';
import { groupPods, type PodGroups } from '../inventory/pod-groups.js';
import type { WorkloadRef } from './expectation.js';

/** The pods of a state by workload and by namespace, sorted out once. */
export class PodsByWorkload {
  private groups: PodGroups | undefined;
  private lists: ReadonlyMap<string, readonly number[]> | undefined;

  constructor(private readonly state: ClusterState) {}

  /** For a state with the same pods and workloads. */
  over(state: ClusterState): PodsByWorkload {
    const pods = new PodsByWorkload(state);
    pods.groups = this.groups;
    pods.lists = this.lists;
    return pods;
  }

  /** Pods by workload and tolerations. */
  *grouped(): Generator<undefined, PodGroups> {
    return (this.groups ??= yield* groupPods(this.state));
  }

  /** The pods of namespaces and workloads that have neither ended nor are being deleted, as ascending indexes. */
  *of(namespaces: readonly string[], workloads: readonly WorkloadRef[]): Generator<undefined, readonly number[]> {
    const lists = (this.lists ??= yield* stepLive(this.state));
    const { pods } = this.state;
    const found = new Set<number>(namespaces.flatMap((namespace) => lists.get(namespace) ?? []));
    for (const { kind, namespace, name } of workloads) {
      for (const pod of lists.get(namespace) ?? []) {
        const workload = pods.workload(pod);
        if (workload.kind === kind && workload.name === name && workload.namespace === namespace) found.add(pod);
      }
    }
    return [...found].sort((a, b) => a - b);
  }
}

const STRIDE = 4096;

function* stepLive({ pods }: ClusterState): Generator<undefined, ReadonlyMap<string, readonly number[]>> {
  const lists = new Map<string, number[]>();
  for (let pod = 0; pod < pods.count; pod++) {
    if (pod % STRIDE === 0) yield undefined;
    if (!pods.active(pod) || pods.terminating(pod)) continue;
    const namespace = pods.namespace(pod);
    const list = lists.get(namespace);
    if (list === undefined) lists.set(namespace, [pod]);
    else list.push(pod);
  }
  return lists;
}
