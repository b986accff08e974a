import type { BudgetStanding } from '../disruption/budget-standing.js';
import type { BudgetStatus } from '../disruption/budget-status.js';
import { guardOf, type GuardingBudget } from '../disruption/eviction-review.js';
import type { BlockReason } from './drain-plan.js';

const NO_PODS: ReadonlyMap<string, string> = new Map();

/**
 * A budget while pods come and go, with the status that the disruption controller would write at each moment. The number
 * of healthy pods has bounds, because of some pods it is not known whether they are healthy.
 */
export class LiveBudget {
  private readonly status: BudgetStatus | undefined;
  private readonly failed: boolean;
  private fewest: number;
  private most: number;

  constructor(private readonly standing: BudgetStanding) {
    const { sync } = standing;
    this.status = sync.outcome === 'unknown' ? undefined : sync.status;
    this.failed = sync.outcome === 'failed';
    this.fewest = this.status?.currentHealthy ?? 0;
    this.most = this.fewest;
  }

  /** A healthy pod leaves. */
  lose(): void {
    this.fewest -= 1;
    this.most -= 1;
  }

  /** A pod becomes healthy. */
  gain(): void {
    this.fewest += 1;
    this.most += 1;
  }

  /** A healthy pod may have left. */
  mayLose(): void {
    this.fewest -= 1;
  }

  /** A pod may have become healthy. */
  mayGain(): void {
    this.most += 1;
  }

  /**
   * As the Eviction API currently reads it, with as few or as many healthy pods as possible; undefined if the status that
   * the controller writes is not known.
   */
  guard(bound: 'fewest' | 'most'): GuardingBudget | undefined {
    const { status } = this;
    if (status === undefined) return undefined;
    const { budget } = this.standing;
    if (this.failed) return guardOf(budget, status);
    const currentHealthy = this[bound];
    const spare = currentHealthy - status.desiredHealthy;
    return guardOf(budget, {
      ...status,
      currentHealthy,
      disruptionsAllowed: status.expectedPods <= 0 || spare <= 0 ? 0 : spare,
      disruptedPods: NO_PODS,
    });
  }

  /** Why the status that the controller writes is not known; undefined if it is known. */
  get unknownBecause(): string | undefined {
    const { sync } = this.standing;
    return sync.outcome === 'unknown' ? sync.reason : undefined;
  }

  /** Why it blocks pods, when no further events follow. */
  get blocks(): BlockReason {
    const { status } = this;
    if (status === undefined) return 'unknown';
    if (this.failed) return 'syncFails';
    return status.desiredHealthy >= status.expectedPods ? 'neverAllows' : 'notEnoughHealthy';
  }
}
