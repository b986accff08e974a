import { Quantity } from '../kubernetes/quantity.js';
import type { QuotaPod } from './quota-pods.js';
import type { QuotaUsage, ResourceUsage } from './quota-usage.js';

/**
 * Why `status.used` is not what the state adds up to:
 *
 * - `none`: it is;
 * - `unknown`: the state does not hold what would have to be counted;
 * - `unreported`: the status does not have the resource, as of a quota that is new, or that nothing counts;
 * - `finished`, `overdue`: it counts pods that have ended, or whose deletion is overdue, as if they had not;
 * - `resized`: pods are being resized in place, and that explains as much;
 * - `stale`: something else, such as a pod that was resized downwards and stays charged until the next recount.
 */
export type DifferenceReason = 'none' | 'unknown' | 'unreported' | 'finished' | 'overdue' | 'resized' | 'stale';

/** One resource of a quota, and what there is to explain of it. */
export interface ExplainedUsage extends ResourceUsage {
  /** `reported` less `used`; undefined where one of them is. */
  readonly difference: Quantity | undefined;
  readonly reason: DifferenceReason;
  /** What pods that have ended would be charged if they had not. */
  readonly finished: Quantity;
  /** What pods whose deletion is overdue would be charged. */
  readonly overdue: Quantity;
  /** Part of `used`: pods that are being deleted, and count until they are gone. */
  readonly deleting: Quantity;
  /** Part of `used`: what is charged above the specs of pods that are being resized. */
  readonly beyondSpec: Quantity;
}

/**
 * What a quota has used beside what its status says, explained.
 *
 * @param pods of the quota, as `stepQuotaPods` gives them for the state and moment of the usage
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
