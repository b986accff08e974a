import type { ClusterState } from '../cluster/cluster-state.js';
import type { Workload } from '../cluster/pod-table.js';
import type { Toleration } from '../kubernetes/objects/taints.js';
import { stringifyJson } from '../json/lossless-json.js';
import type { PodGroups } from './pod-groups.js';

const EXAMPLES = 5;

/** An ordered list of tolerations, and the pods that have exactly this list, including those that have ended. */
export interface TolerationSet {
  readonly tolerations: readonly Toleration[];
  readonly pods: number;
  readonly workloads: number;
  /** The first few workloads, in order of namespace, kind and name. */
  readonly examples: readonly Workload[];
}

/** The distinct lists of tolerations of a state's pods, including the empty one, the most frequent first. */
export function listTolerationSets({ tolerationSets }: ClusterState, { groups }: PodGroups): readonly TolerationSet[] {
  const found = new Map<number, TolerationSet & { pods: number; workloads: number; examples: Workload[] }>();
  for (const { workload, tolerationSetId: id, pods } of groups) {
    let set = found.get(id);
    if (set === undefined)
      found.set(id, (set = { tolerations: tolerationSets[id]!, pods: 0, workloads: 0, examples: [] }));
    set.pods += pods;
    set.workloads++;
    if (set.examples.length < EXAMPLES) set.examples.push(workload);
  }
  const texts = new Map<TolerationSet, string>();
  const textOf = (set: TolerationSet): string => {
    let text = texts.get(set);
    if (text === undefined) texts.set(set, (text = stringifyJson(set.tolerations)));
    return text;
  };
  return [...found.values()].sort((a, b) => b.pods - a.pods || (textOf(a) < textOf(b) ? -1 : 1));
}
