import type { ClusterState } from '../cluster/cluster-state.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { Quantity } from '../kubernetes/quantity.js';
import { countedObjects } from './object-usage.js';
import { podQuotaResources } from './quota-resources.js';
import type { ResourceUsage } from './quota-usage.js';
import { scopesOf } from './scopes.js';

/**
 * How much of what a quota bounds is taken:
 *
 * - `over`: more than it allows, which a quota that was lowered has;
 * - `full`: all of it;
 * - `atRisk`: as much as the threshold, or more;
 * - `unknown`: neither the state nor `status.used` tells;
 * - `free`: less than the threshold;
 * - `closed`: it allows none, and none is taken.
 */
export type QuotaStanding = 'over' | 'full' | 'atRisk' | 'unknown' | 'free' | 'closed';

/** The worst first. */
export const QUOTA_STANDINGS = ['over', 'full', 'atRisk', 'unknown', 'free', 'closed'] as const;

/** How one resource of a quota stands. */
export interface ResourceStanding {
  readonly standing: QuotaStanding;
  /** The larger of what is used and what `status.used` says: admission goes by the latter until the controller has recounted. */
  readonly taken: Quantity | undefined;
  /** `taken` in percent of `hard`; undefined where there is no such number. */
  readonly percent: number | undefined;
}

/** @param threshold in percent, a whole number from 1 to 100 */
export function resourceStanding({ hard, used, reported }: ResourceUsage, threshold: number): ResourceStanding {
  const taken = used === undefined || reported === undefined ? (used ?? reported) : used.max(reported);
  if (taken === undefined) return { standing: 'unknown', taken, percent: undefined };
  const percent = hard.isZero() ? undefined : percentOf(taken, hard);
  const over = taken.cmp(hard);
  if (over > 0) return { standing: 'over', taken, percent };
  if (hard.isZero()) return { standing: 'closed', taken, percent };
  if (over === 0) return { standing: 'full', taken, percent };
  const isAtRisk = taken.times(100).cmp(hard.times(threshold)) >= 0;
  return { standing: isAtRisk ? 'atRisk' : 'free', taken, percent };
}

/** The worst of several; `free` where a quota bounds nothing. */
export function worstStanding(standings: Iterable<QuotaStanding>): QuotaStanding {
  const found = new Set(standings);
  return QUOTA_STANDINGS.find((standing) => found.has(standing)) ?? 'free';
}

/** To a tenth; undefined beyond all doubles. */
function percentOf(taken: Quantity, hard: Quantity): number | undefined {
  const percent = Math.round((taken.approximate() / hard.approximate()) * 1000) / 10;
  return Number.isFinite(percent) ? percent : undefined;
}

/** The usage as far as the state can tell it: where no pods were ever loaded, nothing is known of what they are charged. */
export function knownUsage(usage: ResourceUsage, state: ClusterState): ResourceUsage {
  const isOfPods = podQuotaResources([usage.resource]).length > 0;
  return isOfPods && !state.loadedKinds.has('Pod') ? { ...usage, used: undefined } : usage;
}

/** Why the state does not tell what is used of a resource. */
export function whyUnknown(quota: Pick<ResourceQuota, 'spec'>, resource: string, state: ClusterState): string {
  if (podQuotaResources([resource]).length > 0) return 'no pods were ever loaded';
  const counted = countedObjects(resource);
  if (counted === undefined) return 'no snapshot keeps the objects that it counts';
  if (!state.loadedKinds.has(counted.kind)) return `no ${counted.kind} was ever loaded`;
  if (scopesOf(quota).some(({ scopeName }) => scopeName === 'VolumeAttributesClass')) {
    return 'it counts claims by their VolumeAttributesClass, which no snapshot keeps';
  }
  return 'the state does not hold what it counts';
}
