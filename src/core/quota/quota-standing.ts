import type { ClusterState } from '../cluster/cluster-state.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { Quantity } from '../kubernetes/quantity.js';
import { chargingIn, countedObjects, isCountable } from './object-usage.js';
import { podQuotaResources } from './quota-resources.js';
import type { ResourceUsage } from './quota-usage.js';
import { scopesOf } from './scopes.js';

/**
 * How much of a quota's limit is used:
 *
 * - `over`: more than the limit, for instance after the quota was lowered;
 * - `full`: all of it;
 * - `atRisk`: at least the threshold;
 * - `unknown`: neither the state nor `status.used` has the usage;
 * - `free`: less than the threshold;
 * - `closed`: the limit is zero, and nothing is used.
 */
export type QuotaStanding = 'over' | 'full' | 'atRisk' | 'unknown' | 'free' | 'closed';

/** The most severe first. */
export const QUOTA_STANDINGS = ['over', 'full', 'atRisk', 'unknown', 'free', 'closed'] as const;

/** The level of one resource of a quota. */
export interface ResourceStanding {
  readonly standing: QuotaStanding;
  /**
   * The larger of the counted usage and `status.used`: admission uses the latter until the controller has recounted.
   */
  readonly taken: Quantity | undefined;
  /** `taken` as a percentage of `hard`; undefined without such a number. */
  readonly percent: number | undefined;
}

/** @param threshold in percent, an integer from 1 to 100 */
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

/** The most severe of several; `free` for a quota without limits. */
export function worstStanding(standings: Iterable<QuotaStanding>): QuotaStanding {
  const found = new Set(standings);
  return QUOTA_STANDINGS.find((standing) => found.has(standing)) ?? 'free';
}

/** Rounded to a tenth; undefined beyond all doubles. */
function percentOf(taken: Quantity, hard: Quantity): number | undefined {
  const percent = Math.round((taken.approximate() / hard.approximate()) * 1000) / 10;
  return Number.isFinite(percent) ? percent : undefined;
}

/** The usage as far as it is known: if no pods or claims were ever loaded, their charges are not known. */
export function knownUsage(usage: ResourceUsage, state: ClusterState): ResourceUsage {
  if (!isOfPods(usage.resource, state)) return usage;
  const counted = countedObjects(usage.resource, chargingIn(state, NO_TIME));
  const isKnown = state.loadedKinds.has('Pod') && (counted === undefined || isCountable(counted, state));
  return isKnown ? usage : { ...usage, used: undefined };
}

const isOfPods = (resource: string, { rules }: ClusterState): boolean =>
  podQuotaResources([resource], rules).length > 0;

/** Which objects are counted does not depend on the time. */
const NO_TIME = 0;

/** Why the usage of a resource is not known. */
export function whyUnknown(quota: Pick<ResourceQuota, 'spec'>, resource: string, state: ClusterState): string {
  if (isOfPods(resource, state) && !state.loadedKinds.has('Pod')) return 'no pods were ever loaded';
  const counted = countedObjects(resource, chargingIn(state, NO_TIME));
  if (counted === undefined) return 'snapshots do not keep the objects that it counts';
  if (!state.loadedKinds.has(counted.kind)) return `no ${counted.kind} was ever loaded`;
  if (scopesOf(quota).some(({ scopeName }) => scopeName === 'VolumeAttributesClass')) {
    return 'it counts claims by their VolumeAttributesClass, which snapshots do not keep';
  }
  return 'the state does not hold what it counts';
}
