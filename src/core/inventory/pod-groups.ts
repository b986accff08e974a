import type { ClusterState } from '../cluster/cluster-state.js';
import type { Workload } from '../cluster/pod-table.js';
import { FirstFew } from '../collections/first-few.js';
import { stepSorted } from '../collections/step-sorted.js';
import { compare } from '../json/compare.js';
import { stringifyJson } from '../json/lossless-json.js';

/** The maximum number of examples of a group. */
const EXAMPLES = 3;

/** The pods of one workload with one list of tolerations: taints cannot distinguish them. */
export interface PodGroup {
  readonly workload: Workload;
  readonly tolerationSetId: number;
  readonly pods: number;
  /** The number of these pods that have not ended. */
  readonly active: number;
  /** The first few by name of the pods that have not ended, as indexes. */
  readonly examples: readonly number[];
}

/** The pods of a state by workload and tolerations. */
export interface PodGroups {
  readonly groups: readonly PodGroup[];
  /** The groups by workload, in the order of namespace, kind and name; those of one workload, in that of their tolerations as JSON. */
  readonly byWorkload: readonly { readonly workload: Workload; readonly groups: readonly PodGroup[] }[];
}

interface Counter extends Omit<PodGroup, 'active' | 'examples'> {
  pods: number;
  readonly active: FirstFew<number>;
}

/** Pods, or workloads, processed between two yields. */
const STRIDE = 512;

/**
 * Groups the pods of a state once, so that the cost of questions about taints depends on the number of groups, not of pods. A
 * generator, so that the caller can let other work run in between; it yields nothing.
 */
export function* groupPods({ pods, tolerationSets }: ClusterState): Generator<undefined, PodGroups> {
  const byName = (a: number, b: number): number => compare(pods.name(a), pods.name(b));
  const found = new Map<string, Map<number, Counter>>();
  for (let index = 0; index < pods.count; index++) {
    if (index % STRIDE === STRIDE - 1) yield undefined;
    const workload = pods.workload(index);
    const key = workloadKey(workload);
    let ofWorkload = found.get(key);
    if (ofWorkload === undefined) found.set(key, (ofWorkload = new Map<number, Counter>()));
    const tolerationSetId = pods.tolerationSetId(index);
    let group = ofWorkload.get(tolerationSetId);
    if (group === undefined) {
      group = { workload, tolerationSetId, pods: 0, active: new FirstFew(EXAMPLES, byName) };
      ofWorkload.set(tolerationSetId, group);
    }
    group.pods++;
    if (pods.active(index)) group.active.add(index);
  }
  const textOf = ({ tolerationSetId }: Counter): string => stringifyJson(tolerationSets[tolerationSetId]!);
  const counted = ({ active, ...group }: Counter): PodGroup => {
    const { total, items } = active.listed((index) => index);
    return { ...group, active: total, examples: items };
  };
  // Keys sort like namespace, kind and name, because the separator sorts before every character of a name.
  const sorted = yield* stepSorted([...found], ([a], [b]) => compare(a, b));
  const byWorkload: PodGroups['byWorkload'][number][] = [];
  for (const [, ofWorkload] of sorted) {
    if (byWorkload.length % STRIDE === STRIDE - 1) yield undefined;
    const groups = [...ofWorkload.values()];
    const inOrder = groups.length === 1 ? groups : groups.sort((a, b) => compare(textOf(a), textOf(b)));
    byWorkload.push({ workload: inOrder[0]!.workload, groups: inOrder.map(counted) });
  }
  return { groups: byWorkload.flatMap(({ groups }) => groups), byWorkload };
}

/** A key that identifies workloads and sorts them by namespace, kind and name. */
export function workloadKey({ kind, namespace, name }: Workload): string {
  return `${namespace}\0${kind}\0${name}`;
}
