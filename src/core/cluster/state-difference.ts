import type { ClusterState } from './cluster-state.js';
import { nodeDifference, type NodeDifference } from './node-difference.js';
import type { Workload } from './pod-table.js';

/** The numbers of pods that were added or removed, or that changed their node. */
export interface PodMovements {
  readonly added: number;
  readonly removed: number;
  /** On another node than before, with the same name (as for pods of a StatefulSet). */
  readonly moved: number;
  /** On a node now, but not before. */
  readonly scheduled: number;
}

/** The differences in the pods of one workload. */
export interface WorkloadDifference extends Workload, PodMovements {
  /** The number of its pods before and after. */
  readonly before: number;
  readonly after: number;
}

/**
 * The differences between two states of a cluster: changed nodes by name, and workloads with changed pods by namespace, kind
 * and name.
 */
export interface StateDifference {
  readonly nodes: readonly NodeDifference[];
  readonly workloads: readonly WorkloadDifference[];
  readonly pods: PodMovements & { readonly before: number; readonly after: number };
}

type Tally = { -readonly [Key in keyof WorkloadDifference]: WorkloadDifference[Key] };

/** The number of rows compared between two yields. */
const STEP = 256;

/**
 * Compares two states of one cluster. A generator that yields often, so that the caller can let other work run in between. A
 * workload is the outermost controller that the state knows.
 */
export function* stateDifference(before: ClusterState, after: ClusterState): Generator<void, StateDifference> {
  const nodes: NodeDifference[] = [];
  for (const name of mergedNames(before, after)) {
    const [a, b] = [before.nodes.indexOf(name), after.nodes.indexOf(name)];
    const difference = nodeDifference(
      name,
      a < 0 ? undefined : before.nodes.node(a),
      b < 0 ? undefined : after.nodes.node(b),
    );
    if (difference !== undefined) nodes.push(difference);
    yield;
  }

  const tallies = new Map<string, Tally>();
  const tallyOf = (state: ClusterState, pod: number): Tally => {
    const { kind, namespace, name } = state.pods.workload(pod);
    const key = `${namespace}\0${kind}\0${name}`;
    let tally = tallies.get(key);
    if (tally === undefined) {
      tally = { kind, namespace, name, before: 0, after: 0, added: 0, removed: 0, moved: 0, scheduled: 0 };
      tallies.set(key, tally);
    }
    return tally;
  };
  for (let pod = 0; pod < before.pods.count; pod++) {
    if (pod % STEP === 0) yield;
    const tally = tallyOf(before, pod);
    tally.before++;
    if (after.pods.indexOf(before.pods.namespace(pod), before.pods.name(pod)) < 0) tally.removed++;
  }
  for (let pod = 0; pod < after.pods.count; pod++) {
    if (pod % STEP === 0) yield;
    const tally = tallyOf(after, pod);
    tally.after++;
    const former = before.pods.indexOf(after.pods.namespace(pod), after.pods.name(pod));
    if (former < 0) {
      tally.added++;
      continue;
    }
    const [was, is] = [before.pods.nodeName(former), after.pods.nodeName(pod)];
    if (was === is) continue;
    if (was === '') tally.scheduled++;
    else tally.moved++;
  }
  yield;

  const pods = { before: before.pods.count, after: after.pods.count, added: 0, removed: 0, moved: 0, scheduled: 0 };
  const workloads: [string, WorkloadDifference][] = [];
  for (const [key, tally] of tallies) {
    const { added, removed, moved, scheduled } = tally;
    // A workload's number of pods can also change by adopting or releasing pods.
    if (added + removed + moved + scheduled === 0 && tally.before === tally.after) continue;
    pods.added += added;
    pods.removed += removed;
    pods.moved += moved;
    pods.scheduled += scheduled;
    workloads.push([key, tally]);
  }
  workloads.sort(([a], [b]) => (a < b ? -1 : 1));
  return { nodes, workloads: workloads.map(([, tally]) => tally), pods };
}

/** The names of the nodes of both states, without duplicates, in code unit order. */
function* mergedNames(before: ClusterState, after: ClusterState): Generator<string> {
  const [left, right] = [before.nodes, after.nodes];
  for (let a = 0, b = 0; a < left.count || b < right.count;) {
    const first = a < left.count ? left.name(a) : undefined;
    const second = b < right.count ? right.name(b) : undefined;
    if (first !== undefined && (second === undefined || first <= second)) {
      a++;
      if (first === second) b++;
      yield first;
    } else {
      b++;
      yield second!;
    }
  }
}
