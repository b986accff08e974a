import type { ClusterState } from '../cluster/cluster-state.js';
import type { BudgetMatches } from '../disruption/budget-matches.js';
import { budgetStanding } from '../disruption/budget-standing.js';
import { stateScaleSource } from '../disruption/state-scale-source.js';
import type { KnownMoment } from '../eviction/known-moment.js';
import type { Schedule } from './step-schedule.js';

/** The effect of an eviction schedule on a PodDisruptionBudget. The budget delays none of these evictions. */
export interface BudgetBreach {
  readonly namespace: string;
  readonly name: string;
  /** The healthy pods of the budget that leave. */
  readonly leaving: number;
  readonly currentHealthy: number | null;
  readonly desiredHealthy: number | null;
  /** When fewer pods than required are healthy, assuming no replacements; null if that never happens or is unknown. */
  readonly brokenAt: KnownMoment | null;
  /** The budget's arithmetic in words, or why its numbers are unknown. */
  readonly text: string;
}

const STRIDE = 1024;

/**
 * The budgets whose healthy pods leave in a schedule, in order of namespace and name. A taint eviction deletes pods without
 * the Eviction API, so no budget delays it; the result says when each budget falls below its own minimum. A generator, so that
 * the caller can let other work run in between; it yields nothing.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/controller/tainteviction/taint_eviction.go, `addConditionAndDeletePod`.
 */
export function* stepBudgetBreaches(
  state: ClusterState,
  { pods: rows, outcomes }: Schedule,
  matches: BudgetMatches,
  now: number,
): Generator<undefined, readonly BudgetBreach[]> {
  const { pods } = state;
  const leaving = new Map<number, KnownMoment[]>();
  for (let row = 0; row < rows.length; row++) {
    if (row % STRIDE === STRIDE - 1) yield undefined;
    const pod = rows[row]!;
    const { at } = outcomes[row]!;
    if (at === null || pods.terminating(pod) || !pods.ready(pod)) continue;
    for (const budget of matches.guarding(pod)) {
      const moments = leaving.get(budget);
      if (moments === undefined) leaving.set(budget, [at]);
      else moments.push(at);
    }
  }
  const source = stateScaleSource(state);
  const found: BudgetBreach[] = [];
  for (const [index, moments] of [...leaving].sort(([a], [b]) => a - b)) {
    yield undefined;
    const { budget, arithmetic, text } = budgetStanding(state, matches, index, source, now);
    const { namespace = 'default', name } = budget.metadata;
    moments.sort((a, b) => a.latest - b.latest);
    const { currentHealthy = null, desiredHealthy = null } = arithmetic ?? {};
    const spare =
      currentHealthy === null || desiredHealthy === null ? null : Math.max(0, currentHealthy - desiredHealthy);
    const brokenAt = spare === null ? null : (moments[spare] ?? null);
    found.push({ namespace, name, leaving: moments.length, currentHealthy, desiredHealthy, brokenAt, text });
  }
  return found;
}
