import type { ClusterState } from '../cluster/cluster-state.js';
import { budgetPodOf, byName } from '../disruption/budget-standing.js';
import { budgetSelector, syncBudget, type BudgetPod, type BudgetStatus } from '../disruption/budget-status.js';
import { stateScaleSource } from '../disruption/state-scale-source.js';
import type { Labels } from '../kubernetes/objects/meta.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import type { LiveCluster } from './live-cluster.js';
import type { LivePod } from './live-pod.js';

/** The PodDisruptionBudgets while pods come and go, with the status that the disruption controller writes. */
export class LiveBudgets {
  /** Labels of pods that changed, by namespace. */
  private readonly changed = new Map<string, Set<Labels>>();
  private readonly isOfCluster: boolean;
  private isChecked = false;

  constructor(
    private readonly cluster: LiveCluster,
    private readonly now: number,
  ) {
    this.isOfCluster = cluster.base.loadedKinds.has('PodDisruptionBudget');
  }

  note({ namespace, stored }: LivePod): void {
    let labels = this.changed.get(namespace);
    if (labels === undefined) this.changed.set(namespace, (labels = new Set()));
    labels.add(stored.metadata.labels ?? {});
  }

  /** Writes the status of the budgets whose pods have changed, or that have none yet. */
  refresh(): void {
    if (!this.isOfCluster || (this.isChecked && this.changed.size === 0)) return;
    const budgets = this.cluster.objects('PodDisruptionBudget') as readonly PodDisruptionBudget[];
    const due = budgets.filter((budget) => this.isDue(budget));
    if (due.length > 0) {
      const state = this.cluster.state();
      const pods = podsByNamespace(state);
      for (const budget of due) this.sync(budget, state, pods.get(budget.metadata.namespace ?? '') ?? []);
    }
    this.changed.clear();
    this.isChecked = true;
  }

  private isDue(budget: PodDisruptionBudget): boolean {
    if (budget.status?.disruptionsAllowed === undefined) return true;
    const labels = this.changed.get(budget.metadata.namespace ?? '');
    if (labels === undefined) return false;
    const compiled = budgetSelector(budget);
    if ('error' in compiled) return false;
    for (const one of labels) if (compiled.selector.matches(one)) return true;
    return false;
  }

  /** @param within the pods of its namespace */
  private sync(budget: PodDisruptionBudget, state: ClusterState, within: readonly number[]): void {
    const { pods } = state;
    const compiled = budgetSelector(budget);
    const selected: BudgetPod[] = [];
    if ('selector' in compiled) {
      const matches = new Map<number, boolean>();
      for (const pod of within) {
        const set = pods.labelSetId(pod);
        let isSelected = matches.get(set);
        if (isSelected === undefined) matches.set(set, (isSelected = compiled.selector.matches(pods.labels(pod))));
        if (isSelected) selected.push(budgetPodOf(state, pod));
      }
    }
    const given = 'error' in compiled ? compiled : { pods: selected.sort(byName) };
    const synced = syncBudget(budget, given, stateScaleSource(state), this.now);
    if (synced.outcome !== 'unknown')
      this.cluster.put({ ...budget, status: written(synced.status) } as PodDisruptionBudget);
  }
}

const written = ({ disruptedPods, ...status }: BudgetStatus): PodDisruptionBudget['status'] => ({
  ...status,
  disruptedPods: Object.fromEntries(disruptedPods),
});

function podsByNamespace({ pods }: ClusterState): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (let pod = 0; pod < pods.count; pod++) {
    const namespace = pods.namespace(pod);
    const list = found.get(namespace);
    if (list === undefined) found.set(namespace, [pod]);
    else list.push(pod);
  }
  return found;
}
