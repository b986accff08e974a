import type { Bounds, Verdict } from './expectation.js';

/** Whether a number is within bounds, given the least and the greatest that it can be. */
export function withinBounds(least: number, greatest: number, bounds: Bounds): Verdict {
  const { low, high } = limitsOf(bounds);
  if (least >= low && greatest <= high) return 'holds';
  return greatest < low || least > high ? 'broken' : 'unknown';
}

/** `at least 3`, `at most 2`, `at least 1 and at most 4`, `exactly 0`. */
export function boundsText({ atLeast, atMost, exactly }: Bounds): string {
  const parts = [
    ...(atLeast === undefined ? [] : [`at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [`at most ${atMost}`]),
    ...(exactly === undefined ? [] : [`exactly ${exactly}`]),
  ];
  return parts.join(' and ');
}

/** Whether too many break the bounds, rather than too few. */
export const isTooMany = (count: number, bounds: Bounds): boolean => count > limitsOf(bounds).high;

function limitsOf({ atLeast = 0, atMost = Number.POSITIVE_INFINITY, exactly }: Bounds): { low: number; high: number } {
  return exactly === undefined ? { low: atLeast, high: atMost } : { low: exactly, high: exactly };
}
