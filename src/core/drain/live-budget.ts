import type { BudgetStanding } from '../disruption/budget-standing.js';
import type { BudgetStatus } from '../disruption/budget-status.js';
import type { BlockReason } from './drain-plan.js';
import { guardOf, type GuardingBudget } from '../disruption/eviction-review.js';

const NO_PODS: ReadonlyMap<string, string> = new Map();

/** A budget while pods come and go, with the status that the disruption controller would write at each moment. */
export class LiveBudget {
  private readonly status: BudgetStatus | undefined;
  private readonly failed: boolean;
  private healthy: number;

  constructor(private readonly standing: BudgetStanding) {
    const { sync } = standing;
    this.status = sync.outcome === 'unknown' ? undefined : sync.status;
    this.failed = sync.outcome === 'failed';
    this.healthy = this.status?.currentHealthy ?? 0;
  }

  /** A healthy pod leaves. */
  lose(): void {
    this.healthy -= 1;
  }

  /** Pods become healthy. */
  gain(pods: number): void {
    this.healthy += pods;
  }

  /** As the Eviction API currently reads it; undefined if the status that the controller writes is not known. */
  guard(): GuardingBudget | undefined {
    const { status } = this;
    if (status === undefined) return undefined;
    const { budget } = this.standing;
    if (this.failed) return guardOf(budget, status);
    const spare = this.healthy - status.desiredHealthy;
    return guardOf(budget, {
      ...status,
      currentHealthy: this.healthy,
      disruptionsAllowed: status.expectedPods <= 0 || spare <= 0 ? 0 : spare,
      disruptedPods: NO_PODS,
    });
  }

  /** Why it blocks pods, when no further events follow. */
  get blocks(): BlockReason {
    const { status } = this;
    if (status === undefined) return 'unknown';
    if (this.failed) return 'syncFails';
    return status.desiredHealthy >= status.expectedPods ? 'neverAllows' : 'notEnoughHealthy';
  }
}
