import { compare } from '../json/compare.js';
import type { KeptKind } from '../kubernetes/kinds.js';
import type { KubernetesObject } from '../kubernetes/objects/meta.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import type { Workload as WorkloadObject } from '../kubernetes/objects/workloads.js';
import { WORKLOAD_KINDS } from '../kubernetes/pod-template.js';
import { budgetDifference, type BudgetDifference } from './budget-difference.js';
import type { ClusterState } from './cluster-state.js';
import { nodeDifference, type NodeDifference } from './node-difference.js';
import { pairedObjects } from './object-change.js';
import type { Workload } from './pod-table.js';
import { quotaDifference, type QuotaDifference } from './quota-difference.js';
import {
  templateTolerationDifference,
  TolerationMeanings,
  WorkloadTolerations,
  type TolerationDifference,
} from './toleration-difference.js';

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
 * How two states of a cluster differ: nodes that differ by name; workloads whose pods differ, and tolerations, by
 * namespace, kind and name; quotas and budgets by namespace and name.
 */
export interface StateDifference {
  readonly nodes: readonly NodeDifference[];
  readonly workloads: readonly WorkloadDifference[];
  readonly tolerations: readonly TolerationDifference[];
  /** Undefined if one of the states has never contained the kind, so that an object in the other may be no news. */
  readonly quotas: readonly QuotaDifference[] | undefined;
  /** Undefined as for `quotas`. */
  readonly budgets: readonly BudgetDifference[] | undefined;
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

  const tallies = new Map<string, { readonly tally: Tally; readonly tolerations: WorkloadTolerations }>();
  const [formerly, presently] = [new TolerationMeanings(before), new TolerationMeanings(after)];
  const talliesOf = (state: ClusterState, pod: number) => {
    const { kind, namespace, name } = state.pods.workload(pod);
    const key = `${namespace}\0${kind}\0${name}`;
    let found = tallies.get(key);
    if (found === undefined) {
      const tally = { kind, namespace, name, before: 0, after: 0, added: 0, removed: 0, moved: 0, scheduled: 0 };
      tallies.set(key, (found = { tally, tolerations: new WorkloadTolerations() }));
    }
    return found;
  };
  for (let pod = 0; pod < before.pods.count; pod++) {
    if (pod % STEP === 0) yield;
    const { tally, tolerations } = talliesOf(before, pod);
    tally.before++;
    const replaced = after.pods.indexOf(before.pods.namespace(pod), before.pods.name(pod)) < 0;
    if (replaced) tally.removed++;
    tolerations.addFormer(formerly.of(pod), formerly.list(pod), replaced);
  }
  for (let pod = 0; pod < after.pods.count; pod++) {
    if (pod % STEP === 0) yield;
    const { tally, tolerations } = talliesOf(after, pod);
    tally.after++;
    const former = before.pods.indexOf(after.pods.namespace(pod), after.pods.name(pod));
    const meaning = presently.of(pod);
    tolerations.addPresent(meaning, presently.list(pod), former < 0);
    if (former >= 0 && formerly.of(former) !== meaning) {
      tolerations.addChanged([formerly.of(former), formerly.list(former)], [meaning, presently.list(pod)]);
    }
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
  const tolerations: TolerationDifference[] = [];
  for (const [key, { tally, tolerations: ofPods }] of tallies) {
    const { kind, namespace, name } = tally;
    tolerations.push(...ofPods.differences({ kind, namespace, name }));
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
  tolerations.push(...(yield* templateDifferences(before, after)));
  tolerations.sort(byWorkloadAndField);
  return {
    nodes,
    workloads: workloads.map(([, tally]) => tally),
    tolerations,
    quotas: yield* differencesOf<ResourceQuota, QuotaDifference>('ResourceQuota', before, after, quotaDifference),
    budgets: yield* differencesOf<PodDisruptionBudget, BudgetDifference>(
      'PodDisruptionBudget',
      before,
      after,
      budgetDifference,
    ),
    pods,
  };
}

/** The differences of the templates that both states have. */
function* templateDifferences(before: ClusterState, after: ClusterState): Generator<void, TolerationDifference[]> {
  const found: TolerationDifference[] = [];
  for (const kind of WORKLOAD_KINDS) {
    for (const { before: former, after: present } of pairedObjects<WorkloadObject>(kind, before, after)) {
      yield;
      if (former === null || present === null) continue;
      const difference = templateTolerationDifference(former, present);
      if (difference !== undefined) found.push(difference);
    }
  }
  return found;
}

/** The differences of one kind, by namespace and name; undefined if one of the states has never contained it. */
function* differencesOf<Kept extends KubernetesObject, Difference>(
  kind: KeptKind,
  before: ClusterState,
  after: ClusterState,
  compareSpecs: (before: Kept | undefined, after: Kept | undefined) => Difference | undefined,
): Generator<void, Difference[] | undefined> {
  if (!before.loadedKinds.has(kind) || !after.loadedKinds.has(kind)) return undefined;
  const found: Difference[] = [];
  for (const pair of pairedObjects<Kept>(kind, before, after)) {
    yield;
    const difference = compareSpecs(pair.before ?? undefined, pair.after ?? undefined);
    if (difference !== undefined) found.push(difference);
  }
  return found;
}

/** Differences of one field of one workload keep their order. */
function byWorkloadAndField(a: TolerationDifference, b: TolerationDifference): number {
  return (
    compare(a.namespace, b.namespace) || compare(a.kind, b.kind) || compare(a.name, b.name) || compare(a.field, b.field)
  );
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
