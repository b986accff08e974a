import type { FieldPath } from '../../core/kubernetes/field-path.js';
import { faultAt } from '../errors/fault-at.js';
import type { ErrorDetail } from '../errors/service-error.js';
import type { ReadAt } from '../reads/read-at.js';
import { MAX_TIME, TOO_LATE } from '../time-bounds.js';
import { timeText } from './schedule-response.js';

/**
 * The time at which a plan starts, in milliseconds since the epoch: as requested, else the time of the request or, for a
 * past state, the time of that state; by default never before the state.
 * @param given.madeAt from when on the state holds
 */
export function startOf(
  asOf: Date | undefined,
  given: { readonly readAt: ReadAt; readonly madeAt: number; readonly now: Date },
): number {
  const { readAt, madeAt, now } = given;
  const usual = readAt.at?.getTime() ?? (readAt.revision === undefined ? now.getTime() : madeAt);
  return asOf?.getTime() ?? Math.max(usual, madeAt);
}

export function faultsBeforeState(asOf: number, madeAt: number, at: FieldPath): readonly ErrorDetail[] {
  if (asOf >= madeAt) return [];
  return [faultAt(at, 'before-the-state', `must not be before the evaluated state, ${timeText(madeAt)}`)];
}

export function faultsTooLate(asOf: number, at: FieldPath): readonly ErrorDetail[] {
  return asOf >= MAX_TIME ? [faultAt(at, 'too-late', TOO_LATE)] : [];
}
