import type { ClusterState } from '../cluster/cluster-state.js';
import { budgetSelector } from '../disruption/budget-status.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import { SelectorIndex } from '../kubernetes/selector-index.js';
import type { RankedPods } from './ranked-pods.js';

/** Pods that may have to go, by their places, and by whether one of their budgets would be broken by it. */
export interface SplitVictims {
  readonly violating: readonly number[];
  readonly others: readonly number[];
}

interface Budget {
  readonly disrupted: ReadonlySet<string>;
  readonly allowed: number;
}

/**
 * What the budgets of a state say of pods that preemption would evict. They forbid nothing: they only make a node less attractive.
 *
 * A budget without a selector, or with an empty one, selects nothing here, and a pod without labels is never protected; a pod named in
 * `status.disruptedPods` uses nothing up.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go,
 * `filterPodsWithPDBViolation`.
 */
export class BudgetsInTheWay {
  private readonly byNamespace = new Map<string, BudgetsOfNamespace>();

  constructor(private readonly state: ClusterState) {
    for (const budget of state.objects('PodDisruptionBudget') as readonly PodDisruptionBudget[]) {
      const compiled = budgetSelector(budget);
      if ('error' in compiled || compiled.selector.requirements === undefined) continue;
      if (compiled.selector.requirements.length === 0) continue;
      const { disruptionsAllowed = 0, disruptedPods = {} } = budget.status ?? {};
      const namespace = budget.metadata.namespace ?? '';
      let budgets = this.byNamespace.get(namespace);
      if (budgets === undefined) this.byNamespace.set(namespace, (budgets = new BudgetsOfNamespace()));
      budgets.index.add(compiled.selector, {
        disrupted: new Set(Object.keys(disruptedPods)),
        allowed: disruptionsAllowed,
      });
    }
  }

  /**
   * Splits a node's pods from a place on, in the order in which they use the budgets up, the most important first; both parts keep it.
   * Pods are named by their places.
   */
  split(ranked: RankedPods, from: number): SplitVictims {
    const guards = this.byNamespace.size === 0 ? undefined : this.guardsOf(ranked);
    let left: Map<Budget, number> | undefined;
    const violating: number[] = [];
    const others: number[] = [];
    for (let place = from; place < ranked.pods.length; place++) {
      let violates = false;
      for (const budget of guards?.[place] ?? NO_BUDGETS) {
        if (budget.disrupted.size > 0 && budget.disrupted.has(this.state.pods.name(ranked.pods[place]!))) continue;
        left ??= new Map();
        const after = (left.get(budget) ?? budget.allowed) - 1;
        left.set(budget, after);
        if (after < 0) violates = true;
      }
      (violates ? violating : others).push(place);
    }
    return { violating, others };
  }

  private readonly guards = new WeakMap<RankedPods, readonly (readonly Budget[])[] | undefined>();

  /** By place, the budgets of each pod; undefined where none has any. */
  private guardsOf(ranked: RankedPods): readonly (readonly Budget[])[] | undefined {
    if (this.guards.has(ranked)) return this.guards.get(ranked);
    const { pods, namespaces, labelSetIds } = ranked;
    const all = pods.map((pod, place) => this.guarding(pod, namespaces[place]!, labelSetIds[place]!));
    const guards = all.some((budgets) => budgets.length > 0) ? all : undefined;
    this.guards.set(ranked, guards);
    return guards;
  }

  private guarding(pod: number, namespace: string, labelSet: number): readonly Budget[] {
    const budgets = this.byNamespace.get(namespace);
    if (budgets === undefined) return NO_BUDGETS;
    let found = budgets.byLabelSet.get(labelSet);
    if (found === undefined) {
      const labels = this.state.pods.labels(pod);
      const matching = Object.keys(labels).length === 0 ? [] : [...budgets.index.matching(labels)];
      found = matching.filter((budget) => budget !== undefined);
      budgets.byLabelSet.set(labelSet, found);
    }
    return found;
  }
}

const NO_BUDGETS: readonly Budget[] = [];

class BudgetsOfNamespace {
  readonly index = new SelectorIndex<Budget>();
  readonly byLabelSet = new Map<number, readonly Budget[]>();
}

const known = new WeakMap<ClusterState, BudgetsInTheWay>();

/** The budgets of a state, read once. */
export function budgetsInTheWay(state: ClusterState): BudgetsInTheWay {
  let budgets = known.get(state);
  if (budgets === undefined) known.set(state, (budgets = new BudgetsInTheWay(state)));
  return budgets;
}
