import type { ClusterState } from '../cluster/cluster-state.js';
import { budgetSelector } from '../disruption/budget-status.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import type { Selector } from '../kubernetes/selector.js';

/** Pods that may have to go, by whether one of their budgets would be broken by it. */
export interface SplitVictims {
  readonly violating: readonly number[];
  readonly others: readonly number[];
}

interface Budget {
  readonly namespace: string;
  readonly selector: Selector;
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
  private readonly byNamespace = new Map<string, Budget[]>();
  /** By namespace, and by label set id. */
  private readonly guarding = new Map<string, Map<number, readonly Budget[]>>();

  constructor(private readonly state: ClusterState) {
    for (const budget of state.objects('PodDisruptionBudget') as readonly PodDisruptionBudget[]) {
      const compiled = budgetSelector(budget);
      if ('error' in compiled || compiled.selector.requirements === undefined) continue;
      if (compiled.selector.requirements.length === 0) continue;
      const { disruptionsAllowed = 0, disruptedPods = {} } = budget.status ?? {};
      const namespace = budget.metadata.namespace ?? '';
      const known = this.byNamespace.get(namespace) ?? [];
      this.byNamespace.set(namespace, known);
      known.push({
        namespace,
        selector: compiled.selector,
        disrupted: new Set(Object.keys(disruptedPods)),
        allowed: disruptionsAllowed,
      });
    }
  }

  /** Splits pods in the order in which they use the budgets up, the most important first; both parts keep it. */
  split(pods: readonly number[]): SplitVictims {
    if (this.byNamespace.size === 0) return { violating: [], others: pods };
    const left = new Map<Budget, number>();
    const violating: number[] = [];
    const others: number[] = [];
    for (const pod of pods) {
      let violates = false;
      for (const budget of this.of(pod)) {
        if (budget.disrupted.has(this.state.pods.name(pod))) continue;
        const after = (left.get(budget) ?? budget.allowed) - 1;
        left.set(budget, after);
        if (after < 0) violates = true;
      }
      (violates ? violating : others).push(pod);
    }
    return { violating, others };
  }

  private of(pod: number): readonly Budget[] {
    const { pods } = this.state;
    const namespace = pods.namespace(pod);
    const budgets = this.byNamespace.get(namespace);
    if (budgets === undefined) return [];
    let byLabels = this.guarding.get(namespace);
    if (byLabels === undefined) this.guarding.set(namespace, (byLabels = new Map<number, readonly Budget[]>()));
    const labelSet = pods.labelSetId(pod);
    let found = byLabels.get(labelSet);
    if (found === undefined) {
      const labels = pods.labels(pod);
      const isLabelled = Object.keys(labels).length > 0;
      found = isLabelled ? budgets.filter(({ selector }) => selector.matches(labels)) : [];
      byLabels.set(labelSet, found);
    }
    return found;
  }
}
