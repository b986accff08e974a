import type { ClusterState } from '../../core/cluster/cluster-state.js';
import { isPast } from '../../core/quota/pod-usage.js';
import { stepChangedQuotaUsage } from '../../core/quota/step-changed-quota-usage.js';
import { stepQuotaUsage, type QuotaUsages } from '../../core/quota/step-quota-usage.js';
import { runSteps } from './run-steps.js';
import { TimeSlices } from './time-slices.js';

/**
 * Caches the quota usage of a state. It is valid until a pod that is being deleted no longer counts (or counts again,
 * for a request about an earlier time); then only those pods are recounted.
 */
export class QuotaCounts {
  private readonly known = new WeakMap<ClusterState, Promise<QuotaUsages>>();

  /** @param now in milliseconds since the epoch */
  async of(state: ClusterState, now: number): Promise<QuotaUsages> {
    const counting = this.known.get(state);
    if (counting === undefined) return this.remember(state, runSteps(stepQuotaUsage(state, { now }), new TimeSlices()));
    const former = await counting;
    if (holdsAt(former, now)) return former;
    const steps = stepChangedQuotaUsage(former, { state, now, changed: [] });
    return this.remember(state, runSteps(steps, new TimeSlices()));
  }

  private remember(state: ClusterState, counting: Promise<QuotaUsages>): Promise<QuotaUsages> {
    this.known.set(state, counting);
    // A failed computation is repeated for the next request.
    counting.catch(() => {
      if (this.known.get(state) === counting) this.known.delete(state);
    });
    return counting;
  }
}

/** Whether the same pods count at another time. */
function holdsAt({ leaving, now: counted }: QuotaUsages, now: number): boolean {
  for (const { countsUntil } of leaving.values()) {
    if (isPast(countsUntil, counted) !== isPast(countsUntil, now)) return false;
  }
  return true;
}
