import type { ClusterState } from '../cluster/cluster-state.js';
import { budgetSelector } from '../disruption/budget-status.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import { SelectorIndex } from '../kubernetes/selector-index.js';
import type { RankedPods } from './ranked-pods.js';

interface Budget {
  readonly disrupted: ReadonlySet<string>;
  readonly allowed: number;
  /** What is left of the budget in the last calculation that used it, and the number of that calculation. */
  left: number;
  count: number;
}

/** The pods of a node that budgets protect, by their ranks in `ranked`, and the budgets of each. */
interface Guarded {
  readonly ranked: RankedPods;
  readonly places: readonly number[];
  readonly budgets: readonly (readonly Budget[])[];
}

/**
 * Which victims of preemption the budgets of a state protect. Budgets forbid nothing here: they only make a node less
 * attractive.
 *
 * A budget without a selector, or with an empty one, selects nothing here, and a pod without labels is never protected. A pod
 * named in `status.disruptedPods` does not count against the budget.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go,
 * `filterPodsWithPDBViolation`.
 */
export class BudgetsInTheWay {
  private readonly byNamespace = new Map<string, BudgetsOfNamespace>();
  private readonly guardedOn: (Guarded | undefined)[];
  private counts = 0;

  constructor(private readonly state: ClusterState) {
    this.guardedOn = new Array<Guarded | undefined>(state.nodes.count);
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
        left: 0,
        count: 0,
      });
    }
  }

  /**
   * Which of a node's pods, from rank `from` on, would violate a budget if all of them were evicted: their ranks, ascending.
   * Pods count against the budgets in this order, the most important first.
   */
  violating(ranked: RankedPods, node: number, from: number): readonly number[] {
    if (this.byNamespace.size === 0) return NONE;
    const { places, budgets } = this.guarded(ranked, node);
    if (places.length === 0) return NONE;
    const count = ++this.counts;
    let violating: number[] | undefined;
    for (let at = 0; at < places.length; at++) {
      const place = places[at]!;
      if (place < from) continue;
      let violates = false;
      for (const budget of budgets[at]!) {
        if (budget.disrupted.size > 0 && budget.disrupted.has(this.state.pods.name(ranked.pods[place]!))) continue;
        if (budget.count !== count) {
          budget.count = count;
          budget.left = budget.allowed;
        }
        budget.left -= 1;
        if (budget.left < 0) violates = true;
      }
      if (violates) (violating ??= []).push(place);
    }
    return violating ?? NONE;
  }

  private guarded(ranked: RankedPods, node: number): Guarded {
    const before = this.guardedOn[node];
    if (before?.ranked === ranked) return before;
    const places: number[] = [];
    const budgets: (readonly Budget[])[] = [];
    for (let place = 0; place < ranked.pods.length; place++) {
      const guards = this.guarding(ranked.pods[place]!);
      if (guards.length === 0) continue;
      places.push(place);
      budgets.push(guards);
    }
    const guarded = { ranked, places, budgets };
    this.guardedOn[node] = guarded;
    return guarded;
  }

  private guarding(pod: number): readonly Budget[] {
    const { pods } = this.state;
    const budgets = this.byNamespace.get(pods.namespace(pod));
    if (budgets === undefined) return NO_BUDGETS;
    const labelSet = pods.labelSetId(pod);
    let found = budgets.byLabelSet.get(labelSet);
    if (found === undefined) {
      const labels = pods.labels(pod);
      const matching = Object.keys(labels).length === 0 ? [] : [...budgets.index.matching(labels)];
      found = matching.filter((budget) => budget !== undefined);
      budgets.byLabelSet.set(labelSet, found);
    }
    return found;
  }
}

const NONE: readonly number[] = [];
const NO_BUDGETS: readonly Budget[] = [];

class BudgetsOfNamespace {
  readonly index = new SelectorIndex<Budget>();
  readonly byLabelSet = new Map<number, readonly Budget[]>();
}

const known = new WeakMap<ClusterState, BudgetsInTheWay>();

/** The budgets of a state; built once per state. */
export function budgetsInTheWay(state: ClusterState): BudgetsInTheWay {
  let budgets = known.get(state);
  if (budgets === undefined) known.set(state, (budgets = new BudgetsInTheWay(state)));
  return budgets;
}
