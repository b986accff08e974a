import { stepNodeAllocations, type NodeAllocationSummary } from '../../core/allocation/node-allocation.js';
import { stepOverheadCost, type OverheadCost } from '../../core/allocation/step-overhead-cost.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { stepBudgetMatches, type BudgetMatches } from '../../core/disruption/budget-matches.js';
import { stepClusterFindings } from '../../core/findings/find-cluster-findings.js';
import type { Finding } from '../../core/findings/finding.js';
import { groupPods, type PodGroups } from '../../core/inventory/pod-groups.js';
import { stepOverview, type StateOverview } from '../../core/inventory/take-overview.js';
import { taintInventory, type TaintKeyEntry } from '../../core/inventory/taint-inventory.js';
import { stepNamespacePods } from '../../core/quota/namespace-pods.js';
import type { QuotaUsages } from '../../core/quota/step-quota-usage.js';
import { stepWorkloadShapes, type WorkloadShapes } from '../../core/taint-effects/workload-shapes.js';
import { DEFAULT_GATES } from '../../core/kubernetes/toleration.js';
import { QuotaCounts } from './quota-counts.js';
import { runSteps } from './run-steps.js';
import { TimeSlices } from './time-slices.js';

/**
 * What is worked out once for a state and then asked for often. It goes with its state. Two who ask share the work,
 * which therefore goes on when one of them has gone.
 */
export class DerivedStateCache {
  private readonly groups = new WeakMap<ClusterState, Promise<PodGroups>>();
  private readonly inventories = new WeakMap<ClusterState, Promise<readonly TaintKeyEntry[]>>();
  private readonly shapes = new WeakMap<ClusterState, Promise<WorkloadShapes>>();
  private readonly budgets = new WeakMap<ClusterState, Promise<BudgetMatches>>();
  private readonly namespaces = new WeakMap<ClusterState, Promise<ReadonlyMap<string, readonly number[]>>>();
  private readonly quotas = new QuotaCounts();
  private readonly allocations = new WeakMap<ClusterState, Promise<readonly NodeAllocationSummary[]>>();
  private readonly overheads = new WeakMap<ClusterState, Promise<OverheadCost>>();
  private readonly findings = new WeakMap<ClusterState, Promise<readonly Finding[]>>();
  private readonly overviews = new WeakMap<ClusterState, Promise<StateOverview>>();

  /** Nodes, taints, pods, resources and objects, counted. */
  overview(state: ClusterState): Promise<StateOverview> {
    return remembered(this.overviews, state, () => runSteps(stepOverview(state), new TimeSlices()));
  }

  /** What pods and workloads demand of nodes. */
  workloadShapes(state: ClusterState): Promise<WorkloadShapes> {
    return remembered(this.shapes, state, () => runSteps(stepWorkloadShapes(state), new TimeSlices()));
  }

  /** Says that two states differ in their nodes alone, and have nodes of the same names, so that what does not depend on those need not be worked out again. */
  sharePods(from: ClusterState, to: ClusterState): void {
    const shapes = this.shapes.get(from);
    if (shapes !== undefined) this.shapes.set(to, shapes);
    const groups = this.groups.get(from);
    if (groups !== undefined) this.groups.set(to, groups);
    const budgets = this.budgets.get(from);
    if (budgets !== undefined) this.budgets.set(to, budgets);
  }

  /** The pods by workload and tolerations. */
  podGroups(state: ClusterState): Promise<PodGroups> {
    return remembered(this.groups, state, () => runSteps(groupPods(state), new TimeSlices()));
  }

  /** What the pods of each node hold of it, by node. */
  nodeAllocations(state: ClusterState): Promise<readonly NodeAllocationSummary[]> {
    return remembered(this.allocations, state, () => runSteps(stepNodeAllocations(state), new TimeSlices()));
  }

  /** What the overhead of pods costs. */
  overheadCost(state: ClusterState): Promise<OverheadCost> {
    return remembered(this.overheads, state, () => runSteps(stepOverheadCost(state), new TimeSlices()));
  }

  /** The PodDisruptionBudgets, and the pods that they select. */
  budgetMatches(state: ClusterState): Promise<BudgetMatches> {
    return remembered(this.budgets, state, () => runSteps(stepBudgetMatches(state), new TimeSlices()));
  }

  /** The pods of each namespace, as indexes. */
  namespacePods(state: ClusterState): Promise<ReadonlyMap<string, readonly number[]>> {
    return remembered(this.namespaces, state, () => runSteps(stepNamespacePods(state), new TimeSlices()));
  }

  /**
   * What every ResourceQuota has used; it changes with the moment where pods are being deleted.
   *
   * @param now in milliseconds since the epoch
   */
  quotaUsages(state: ClusterState, now: number): Promise<QuotaUsages> {
    return this.quotas.of(state, now);
  }

  /** The taints of the nodes by key, with the feature gates at their defaults. */
  taintInventory(state: ClusterState): Promise<readonly TaintKeyEntry[]> {
    return remembered(this.inventories, state, async () =>
      runSteps(taintInventory(state, await this.podGroups(state), DEFAULT_GATES), new TimeSlices()),
    );
  }

  /** Every finding on the cluster, errors first, with the feature gates at their defaults. */
  clusterFindings(state: ClusterState): Promise<readonly Finding[]> {
    return remembered(this.findings, state, () =>
      runSteps(stepClusterFindings(state, { gates: DEFAULT_GATES }), new TimeSlices()),
    );
  }
}

function remembered<Result>(
  known: WeakMap<ClusterState, Promise<Result>>,
  state: ClusterState,
  work: () => Promise<Result>,
): Promise<Result> {
  let result = known.get(state);
  if (result === undefined) {
    result = work();
    known.set(state, result);
    // What failed is tried again by the next who asks.
    result.catch(() => known.delete(state));
  }
  return result;
}
