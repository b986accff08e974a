import { stepNodeAllocations, type NodeAllocationSummary } from '../../core/allocation/node-allocation.js';
import { stepOverheadCost, type OverheadCost } from '../../core/allocation/step-overhead-cost.js';
import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { stepBudgetMatches, type BudgetMatches } from '../../core/disruption/budget-matches.js';
import { stepClusterFindings } from '../../core/findings/find-cluster-findings.js';
import type { Finding } from '../../core/findings/finding.js';
import { groupPods, type PodGroups } from '../../core/inventory/pod-groups.js';
import { namesOf, type StateNames } from '../../core/inventory/search-state.js';
import { stepOverview, type StateOverview } from '../../core/inventory/take-overview.js';
import { taintInventory, type TaintKeyEntry } from '../../core/inventory/taint-inventory.js';
import { stepNamespacePods } from '../../core/quota/namespace-pods.js';
import type { QuotaUsages } from '../../core/quota/step-quota-usage.js';
import { stepWorkloadShapes, type WorkloadShapes } from '../../core/taint-effects/workload-shapes.js';
import { gatesOf } from '../../core/kubernetes/toleration.js';
import { QuotaCounts } from './quota-counts.js';
import { runSteps } from './run-steps.js';
import { TimeSlices } from './time-slices.js';

/**
 * Caches data derived from a state, for as long as the state exists. Concurrent requests share the computation, which
 * therefore continues if one of them is canceled.
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
  private readonly nameLists = new WeakMap<ClusterState, Promise<StateNames>>();
  /** What computes ahead of requests. */
  private readonly ahead = new WeakMap<ClusterState, TimeSlices>();
  private readonly overviews = new WeakMap<ClusterState, Promise<StateOverview>>();

  /** Counts of nodes, taints, pods, resources and objects. */
  overview(state: ClusterState, slices = new TimeSlices()): Promise<StateOverview> {
    return this.shared(this.overviews, state, slices, () => runSteps(stepOverview(state), slices));
  }

  /** The requirements of pods and workloads on nodes. */
  workloadShapes(state: ClusterState): Promise<WorkloadShapes> {
    return remembered(this.shapes, state, () => runSteps(stepWorkloadShapes(state), new TimeSlices()));
  }

  /** Shares data that does not depend on nodes between two states that differ only in the content of their nodes. */
  sharePods(from: ClusterState, to: ClusterState): void {
    const shapes = this.shapes.get(from);
    if (shapes !== undefined) this.shapes.set(to, shapes);
    const groups = this.groups.get(from);
    if (groups !== undefined) this.groups.set(to, groups);
    const budgets = this.budgets.get(from);
    if (budgets !== undefined) this.budgets.set(to, budgets);
  }

  /** Pods grouped by workload and tolerations. */
  podGroups(state: ClusterState, slices = new TimeSlices()): Promise<PodGroups> {
    return this.shared(this.groups, state, slices, () => runSteps(groupPods(state), slices));
  }

  /** The names of workloads and namespaces. */
  names(state: ClusterState): Promise<StateNames> {
    return remembered(this.nameLists, state, async () => namesOf(state, await this.podGroups(state)));
  }

  /** What the pods of each node use, by node. */
  nodeAllocations(state: ClusterState): Promise<readonly NodeAllocationSummary[]> {
    return remembered(this.allocations, state, () => runSteps(stepNodeAllocations(state), new TimeSlices()));
  }

  /** The cost of pod overhead. */
  overheadCost(state: ClusterState): Promise<OverheadCost> {
    return remembered(this.overheads, state, () => runSteps(stepOverheadCost(state), new TimeSlices()));
  }

  /** The PodDisruptionBudgets with the pods that they select. */
  budgetMatches(state: ClusterState): Promise<BudgetMatches> {
    return remembered(this.budgets, state, () => runSteps(stepBudgetMatches(state), new TimeSlices()));
  }

  /** The pods of each namespace, as indexes. */
  namespacePods(state: ClusterState): Promise<ReadonlyMap<string, readonly number[]>> {
    return remembered(this.namespaces, state, () => runSteps(stepNamespacePods(state), new TimeSlices()));
  }

  /**
   * The usage of every ResourceQuota, which changes over time while pods are being deleted.
   *
   * @param now in milliseconds since the epoch
   */
  quotaUsages(state: ClusterState, now: number): Promise<QuotaUsages> {
    return this.quotas.of(state, now);
  }

  /** The taints of the nodes by key, with the feature gates at their defaults. */
  taintInventory(state: ClusterState, slices = new TimeSlices()): Promise<readonly TaintKeyEntry[]> {
    return this.shared(this.inventories, state, slices, async () =>
      runSteps(taintInventory(state, await this.podGroups(state, slices), gatesOf(state.rules)), slices),
    );
  }

  /** All findings about the cluster, errors first, with the feature gates at their defaults. */
  clusterFindings(state: ClusterState, slices = new TimeSlices()): Promise<readonly Finding[]> {
    return this.shared(this.findings, state, slices, () =>
      runSteps(stepClusterFindings(state, { gates: gatesOf(state.rules) }), slices),
    );
  }

  /** As `remembered`; what is computed in the background hurries when a request needs it. */
  private shared<Result>(
    known: WeakMap<ClusterState, Promise<Result>>,
    state: ClusterState,
    slices: TimeSlices,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (slices.inBackground) this.ahead.set(state, slices);
    else this.ahead.get(state)?.hurry();
    return remembered(known, state, work);
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
    // A failed computation is repeated for the next request.
    result.catch(() => known.delete(state));
  }
  return result;
}
