import type { Quantity } from '../kubernetes/quantity.js';

/** The maximum number of replicas of a workload. */
export const MAX_REPLICAS = 2_147_483_647;

/**
 * How many times a charge can be added to a usage before the usage exceeds a quota's limit, at most MAX_REPLICAS; the
 * same as charging one after another. Uses binary search, so the cost does not depend on the numbers.
 *
 * @param charge greater than 0
 */
export function howManyFit(hard: Quantity, used: Quantity, charge: Quantity): number {
  const fits = (count: number): boolean => count === 0 || used.add(charge.times(count)).cmp(hard) <= 0;
  if (fits(MAX_REPLICAS)) return MAX_REPLICAS;
  let [low, high] = [0, MAX_REPLICAS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
