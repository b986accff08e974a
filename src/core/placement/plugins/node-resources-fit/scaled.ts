import type { Int64 } from '../../../kubernetes/objects/meta.js';
import { MAX_NODE_SCORE } from '../../score-plugin.js';

/** Amounts up to here can be multiplied by the greatest score, and divided, without loss. */
const SAFE = Math.floor(Number.MAX_SAFE_INTEGER / MAX_NODE_SCORE);

/** `amount * 100 / capacity` in the arithmetic of int64, cut to an integer; the capacity is not 0. */
export function scaled(amount: Int64, capacity: Int64): number {
  if (typeof amount === 'number' && typeof capacity === 'number' && Math.abs(amount) <= SAFE && capacity <= SAFE) {
    return Math.trunc((amount * MAX_NODE_SCORE) / capacity);
  }
  return Number(BigInt.asIntN(64, BigInt(amount) * BigInt(MAX_NODE_SCORE)) / BigInt(capacity));
}
