import type { ClusterState } from '../cluster/cluster-state.js';
import type { ResourceQuota } from '../kubernetes/objects/quota.js';
import { stepCountPods, type TerminatingPod } from './count-pods.js';
import { grouped } from './grouped.js';
import { ObjectsByNamespace } from './object-usage.js';
import { QuotaUsage, usageOfObjects } from './quota-usage.js';
import { UsageSums } from './usage-sums.js';

/** Distinct charges that are compared with quotas between two steps. */
const MATCHES = 256;

/** The usage of every ResourceQuota of a state, as the resource quota controller would count it. */
export interface QuotaUsages {
  readonly state: ClusterState;
  /** The time of the count, in milliseconds since the epoch: pods that are being deleted stop counting at some time. */
  readonly now: number;
  /** By namespace and name. */
  readonly usages: readonly QuotaUsage[];
  /** By namespace, the indexes of its quotas. */
  readonly byNamespace: ReadonlyMap<string, readonly number[]>;
  /** Pods of these namespaces that stop counting at some time, past or future. */
  readonly leaving: ReadonlyMap<string, TerminatingPod>;
}

/**
 * The usage of the quotas of a state. A generator, so that the caller can run other work in between; yields nothing.
 *
 * Pods with the same spec and status have the same charge, so a namespace's pods are counted by spec and status, and
 * each distinct charge is compared with the namespace's quotas once. The result equals that of `recountQuota` for each
 * quota.
 *
 * @param now in milliseconds since the epoch
 */
export function* stepQuotaUsage(
  state: ClusterState,
  { now }: { readonly now: number },
): Generator<undefined, QuotaUsages> {
  const quotas = quotasOf(state);
  const byNamespace = indexByNamespace(quotas);
  const counted = yield* stepCountPods(state, now, new Set(byNamespace.keys()));
  const objects = new ObjectsByNamespace(state, now);
  const usages: QuotaUsage[] = [];
  let steps = 0;
  for (const quota of quotas) {
    const tally = counted.tallies.get(namespaceOf(quota)) ?? [];
    steps += tally.length + 1;
    if (steps >= MATCHES) {
      steps = 0;
      yield undefined;
    }
    usages.push(new QuotaUsage(quota, UsageSums.empty(quota, state.rules).with(tally), usageOfObjects(quota, objects)));
  }
  return { state, now, usages, byNamespace, leaving: counted.leaving };
}

export const namespaceOf = ({ metadata }: ResourceQuota): string => metadata.namespace ?? '';

export const quotasOf = (state: ClusterState): readonly ResourceQuota[] =>
  state.objects('ResourceQuota') as readonly ResourceQuota[];

export function indexByNamespace(quotas: readonly ResourceQuota[]): ReadonlyMap<string, readonly number[]> {
  return grouped(quotas.keys(), (index) => namespaceOf(quotas[index]!));
}
