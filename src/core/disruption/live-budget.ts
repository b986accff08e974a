import type { BudgetStanding } from './budget-standing.js';
import type { BudgetStatus } from './budget-status.js';
import type { BlockReason } from './drain-plan.js';
import { guardOf, type GuardingBudget } from './eviction-review.js';

const NO_PODS: ReadonlyMap<string, string> = new Map();

/** A budget whose pods come and go, as the disruption controller would have it at each moment. */
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

  /** A healthy pod goes. */
  lose(): void {
    this.healthy -= 1;
  }

  /** So many pods become healthy. */
  gain(pods: number): void {
    this.healthy += pods;
  }

  /** As the Eviction API sees it now; undefined where nobody knows what the controller writes. */
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

  /** Why it holds pods up, once nothing more happens. */
  get blocks(): BlockReason {
    const { status } = this;
    if (status === undefined) return 'unknown';
    if (this.failed) return 'syncFails';
    return status.desiredHealthy >= status.expectedPods ? 'neverAllows' : 'notEnoughHealthy';
  }
}
