import type { Condition } from '../kubernetes/objects/pod.js';
import type { Node } from '../kubernetes/objects/node.js';
import type { Taint } from '../kubernetes/objects/taints.js';
import { formatTaint, matchesTaint, UNSCHEDULABLE_TAINT } from '../kubernetes/taint.js';
import {
  conditionOfTaint,
  conditionTaints,
  noExecuteOf,
  NOT_READY,
  UNREACHABLE,
} from '../kubernetes/condition-taints.js';
import { readyStatus } from './node-health.js';

/**
 * A taint that a stored node should have because of its conditions or its cordon but lacks (`missing`), or has but
 * should not (`notCalledFor`).
 */
export interface LifecycleDifference {
  readonly taint: Taint;
  readonly state: 'missing' | 'notCalledFor';
  readonly why: string;
}

/**
 * The differences between the taints of a stored node and those that the node lifecycle controller would set. For a
 * node that is stored without conditions only the cordon is checked.
 *
 * A NoSchedule taint lags its condition by milliseconds only. A NoExecute taint may be missing for a long time: it is
 * set by the zone's queue, and not at all while too much of the zone or the whole cluster is not ready.
 *
 * Source: see `conditionTaints` and `simulateLifecycle`.
 */
export function lifecycleDifferences({ spec, status }: Node): readonly LifecycleDifference[] {
  const taints = spec?.taints ?? [];
  const conditions = status?.conditions ?? [];
  const wanted = conditionTaints(conditions, spec?.unschedulable ?? false);
  const missing = wanted
    .filter((taint) => !taints.some((present) => matchesTaint(present, taint)))
    .map((taint) => ({ taint, state: 'missing' as const, why: whyMissing(taint) }));
  const excess = taints.flatMap((taint): LifecycleDifference[] => {
    if (wanted.some((want) => matchesTaint(want, taint))) return [];
    const why = whyNotCalledFor(taint, conditions);
    return why === undefined ? [] : [{ taint, state: 'notCalledFor', why }];
  });
  return [...missing, ...noExecuteMissing(taints, conditions), ...excess];
}

function whyMissing({ key, effect }: Taint): string {
  const condition = conditionOfTaint(key);
  const cause =
    condition === undefined
      ? 'The node is cordoned (spec.unschedulable)'
      : `The condition ${condition.type} is ${condition.status}`;
  return `${cause}, and its taint ${formatTaint({ key, effect })} is absent: the node lifecycle controller does not run, or has not processed the node yet.`;
}

function noExecuteMissing(taints: readonly Taint[], conditions: readonly Condition[]): readonly LifecycleDifference[] {
  const status = readyStatus(conditions) ?? '';
  const called = noExecuteOf(status);
  if (called === undefined) return [];
  const { taint, opposite } = called;
  // If the opposite taint is present, that is the difference: the two are swapped without queueing.
  if (taints.some((present) => matchesTaint(present, taint) || matchesTaint(present, opposite))) return [];
  const why =
    `The condition Ready is ${status}, and the taint ${formatTaint(taint)} is absent, so no pod is evicted: the node is waiting in its ` +
    "zone's queue, or too much of the zone or the whole cluster is not ready, or the node lifecycle controller does not run.";
  return [{ taint, state: 'missing', why }];
}

function whyNotCalledFor(taint: Taint, conditions: readonly Condition[]): string | undefined {
  const { key, effect } = taint;
  const text = formatTaint(taint);
  if (key === UNSCHEDULABLE_TAINT.key && effect === 'NoSchedule') {
    return `The taint ${text} is present, but the node is not cordoned (spec.unschedulable): the node lifecycle controller, if it runs, removes it immediately.`;
  }
  const condition = conditionOfTaint(key);
  if ((condition === undefined && key !== UNSCHEDULABLE_TAINT.key) || conditions.length === 0) return undefined;
  if (effect === 'NoSchedule') {
    return `The taint ${text} means that the condition ${condition!.type} is ${condition!.status}, which it is not: the node lifecycle controller, if it runs, removes it immediately.`;
  }
  const ready = readyStatus(conditions);
  if (effect === 'NoExecute' && (key === NOT_READY || key === UNREACHABLE)) {
    if (
      ready === undefined ||
      conditions.some(({ type, status }) => type === 'Ready' && status === condition!.status)
    ) {
      return undefined;
    }
    const done = ready === 'True' ? 'removes it' : 'replaces it';
    return `The taint ${text} means that Ready is ${condition!.status}, but Ready is ${ready}: the node lifecycle controller, if it runs, ${done} on its next pass. The taint was set manually, or the node has just changed.`;
  }
  return `The taint ${text} has a key of the node lifecycle controller, but a different effect: it was set manually, and no controller removes it.`;
}
