import { Quantity } from '../kubernetes/quantity.js';
import type { QuotaPod } from './quota-pods.js';
import type { QuotaUsage, ResourceUsage } from './quota-usage.js';

/**
 * Why `status.used` differs from the count of the state:
 *
 * - `none`: it does not differ;
 * - `unknown`: the state lacks what would have to be counted;
 * - `unreported`: the status lacks the resource, for instance because the quota is new, or because no controller counts
 *   it;
 * - `finished`, `overdue`: it includes pods that have ended, or whose deletion is overdue;
 * - `resized`: pods are being resized in place, which explains the difference;
 * - `stale`: something else, such as a pod that was resized downwards and stays charged until the next recount.
 */
export type DifferenceReason = 'none' | 'unknown' | 'unreported' | 'finished' | 'overdue' | 'resized' | 'stale';

/** One resource of a quota, and the explanation of its difference. */
export interface ExplainedUsage extends ResourceUsage {
  /** `reported` minus `used`; undefined if one of them is. */
  readonly difference: Quantity | undefined;
  readonly reason: DifferenceReason;
  /** The charge that ended pods would have if they had not ended. */
  readonly finished: Quantity;
  /** The charge that pods whose deletion is overdue would have. */
  readonly overdue: Quantity;
  /** Part of `used`: pods that are being deleted, and count until they are gone. */
  readonly deleting: Quantity;
  /** Part of `used`: the excess over the specs of pods that are being resized. */
  readonly beyondSpec: Quantity;
}

/**
 * The counted and the reported usage of a quota, with an explanation of the difference.
 *
 * @param pods the result of `stepQuotaPods` for the quota, and for the state and time of the usage
 */
export function explainUsage(usage: QuotaUsage, pods: readonly QuotaPod[]): readonly ExplainedUsage[] {
  return usage.resources().map((resource) => {
    const { resource: name, used, reported } = resource;
    const parts = {
      finished: sumOf(pods, name, (pod) => (pod.counting === 'finished' ? pod.released : undefined)),
      overdue: sumOf(pods, name, (pod) => (pod.counting === 'overdue' ? pod.released : undefined)),
      deleting: sumOf(pods, name, (pod) => (pod.counting === 'deleting' ? pod.charged : undefined)),
      beyondSpec: sumOf(pods, name, (pod) => pod.beyondSpec),
    };
    const difference = used === undefined ? undefined : reported?.sub(used);
    const reason =
      difference === undefined ? (used === undefined ? 'unknown' : 'unreported') : reasonOf(difference, parts);
    return { ...resource, difference, reason, ...parts };
  });
}

function reasonOf(
  difference: Quantity,
  { finished, overdue, beyondSpec }: Pick<ExplainedUsage, 'finished' | 'overdue' | 'beyondSpec'>,
): DifferenceReason {
  if (difference.isZero()) return 'none';
  if (difference.cmp(finished) === 0 || difference.cmp(finished.add(overdue)) === 0) {
    return finished.isZero() ? 'overdue' : 'finished';
  }
  if (difference.cmp(overdue) === 0) return 'overdue';
  const size = difference.sign() < 0 ? difference.neg() : difference;
  return size.cmp(beyondSpec) <= 0 ? 'resized' : 'stale';
}

function sumOf(
  pods: readonly QuotaPod[],
  resource: string,
  part: (pod: QuotaPod) => ReadonlyMap<string, Quantity> | undefined,
): Quantity {
  let sum = Quantity.ZERO;
  for (const pod of pods) {
    const amount = part(pod)?.get(resource);
    if (amount !== undefined) sum = sum.add(amount);
  }
  return sum;
}
