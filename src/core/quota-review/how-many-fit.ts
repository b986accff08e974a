import type { Quantity } from '../kubernetes/quantity.js';

/** As many replicas as a workload can ask for. */
export const MOST_REPLICAS = 2_147_483_647;

/**
 * How many times a charge can be added to what is used before it is above what a quota allows, at most MOST_REPLICAS; that is as many
 * as could be charged one after another. Found by halving, so that neither numbers nor exponents cost anything.
 *
 * @param charge greater than 0
 */
export function howManyFit(hard: Quantity, used: Quantity, charge: Quantity): number {
  const fits = (count: number): boolean => count === 0 || used.add(charge.times(count)).cmp(hard) <= 0;
  if (fits(MOST_REPLICAS)) return MOST_REPLICAS;
  let [low, high] = [0, MOST_REPLICAS];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}
