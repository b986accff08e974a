import type { ClusterState } from '../cluster/cluster-state.js';
import { compileLabelSelector, type Selector } from '../kubernetes/label-selector.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';

const known = new WeakMap<ClusterState, DisruptionBudgets>();

/** The PodDisruptionBudgets of a state, by namespace. */
export class DisruptionBudgets {
  /** Those of a state, made once. */
  static of(state: ClusterState): DisruptionBudgets {
    let budgets = known.get(state);
    if (budgets === undefined) known.set(state, (budgets = new DisruptionBudgets(state)));
    return budgets;
  }

  private readonly byNamespace = new Map<string, { readonly name: string; readonly selector: Selector }[]>();

  private constructor(state: ClusterState) {
    for (const object of state.objects('PodDisruptionBudget')) {
      const { metadata, spec } = object as PodDisruptionBudget;
      const compiled = compileLabelSelector(spec?.selector);
      if (!('selector' in compiled)) continue;
      const namespace = metadata.namespace ?? 'default';
      const budgets = this.byNamespace.get(namespace) ?? [];
      this.byNamespace.set(namespace, budgets);
      budgets.push({ name: metadata.name, selector: compiled.selector });
    }
  }

  /** The names of the budgets that select a pod. An empty selector selects every pod of its namespace (policy/v1). */
  guarding(namespace: string, labels: Labels): readonly string[] {
    const budgets = this.byNamespace.get(namespace) ?? [];
    return budgets.filter(({ selector }) => selector.matches(labels)).map(({ name }) => name);
  }
}
