import type { ClusterState } from '../cluster/cluster-state.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import { SelectorIndex } from '../kubernetes/selector-index.js';
import { budgetSelector } from './budget-status.js';

/** Pods, and compared selectors, between two steps of the generator. */
const STRIDE = 1024;

/**
 * The budgets of a state and the pods that they select. Budgets are sorted by namespace and name, and identified by
 * index.
 */
export interface BudgetMatches {
  readonly budgets: readonly PodDisruptionBudget[];
  /** The pods that a budget selects, including finished and terminating ones, in no particular order. */
  podsOf(budget: number): Iterable<number>;
  /** The budgets that select a pod, in order. */
  guarding(pod: number): readonly number[];
}

/** A budget as `namespace/name`. */
export function budgetKey({ budgets }: Pick<BudgetMatches, 'budgets'>, index: number): string {
  const { namespace = 'default', name } = budgets[index]!.metadata;
  return `${namespace}/${name}`;
}

/** Pods that the same budgets select. */
interface Flock {
  readonly guards: readonly number[];
  readonly pods: number[];
}

/**
 * Finds the pods of every budget. Label sets shared by pods of one namespace are compared with its budgets once, and
 * pods selected by the same budgets are listed once.
 */
export function* stepBudgetMatches(state: ClusterState): Generator<undefined, BudgetMatches> {
  const budgets = state.objects('PodDisruptionBudget') as readonly PodDisruptionBudget[];
  const byNamespace = new Map<string, NamespaceBudgets>();
  let steps = 0;
  for (const [index, budget] of budgets.entries()) {
    if (++steps % STRIDE === 0) yield undefined;
    const compiled = budgetSelector(budget);
    if ('error' in compiled) continue;
    const namespace = budget.metadata.namespace ?? 'default';
    let ofNamespace = byNamespace.get(namespace);
    if (ofNamespace === undefined) byNamespace.set(namespace, (ofNamespace = new NamespaceBudgets()));
    ofNamespace.index.add(compiled.selector, index);
  }
  const { pods } = state;
  const flocks = new Map<string, Flock>();
  for (let pod = 0; pod < pods.count && byNamespace.size > 0; pod++) {
    if (++steps % STRIDE === 0) yield undefined;
    const ofNamespace = byNamespace.get(pods.namespace(pod));
    if (ofNamespace === undefined) continue;
    const labelSet = pods.labelSetId(pod);
    let flock = ofNamespace.byLabelSet.get(labelSet);
    if (flock === undefined) {
      const guards: number[] = [];
      for (const budget of ofNamespace.index.matching(pods.labels(pod))) {
        if (++steps % STRIDE === 0) yield undefined;
        if (budget !== undefined) guards.push(budget);
      }
      flock = flockOf(flocks, guards);
      ofNamespace.byLabelSet.set(labelSet, flock);
    }
    if (flock.guards.length > 0) flock.pods.push(pod);
  }
  const selected = budgets.map((): Flock[] => []);
  for (const flock of flocks.values()) for (const budget of flock.guards) selected[budget]!.push(flock);
  return {
    budgets,
    podsOf: (budget) => podsOf(selected[budget] ?? []),
    guarding: (pod) => byNamespace.get(pods.namespace(pod))?.byLabelSet.get(pods.labelSetId(pod))?.guards ?? [],
  };
}

function* podsOf(flocks: readonly Flock[]): Generator<number, undefined> {
  for (const flock of flocks) yield* flock.pods;
  return undefined;
}

function flockOf(flocks: Map<string, Flock>, guards: number[]): Flock {
  const key = guards.sort((a, b) => a - b).join();
  let flock = flocks.get(key);
  if (flock === undefined) flocks.set(key, (flock = { guards, pods: [] }));
  return flock;
}

class NamespaceBudgets {
  readonly index = new SelectorIndex<number>();
  /** By label set ID. */
  readonly byLabelSet = new Map<number, Flock>();
}
