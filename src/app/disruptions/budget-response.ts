import type { budgetArithmetic, budgetStatus, disruptionBudget } from '../../contract/disruptions/disruption-budget.js';
import type { Response } from '../../contract/schema.js';
import type { BudgetArithmetic, BudgetStanding } from '../../core/disruption/budget-standing.js';
import { disruptionAllowedOf, type BudgetStatus } from '../../core/disruption/budget-status.js';

export type BudgetResponse = Response<typeof disruptionBudget>;
type BudgetStatusResponse = Response<typeof budgetStatus>;
type BudgetArithmeticResponse = Response<typeof budgetArithmetic>;

/** Maximum number of pods or controllers to name. */
const MAX_NAMED = 100;

export function budgetResponse({
  budget,
  sync,
  stored,
  differs,
  pods,
  arithmetic,
  text,
}: BudgetStanding): BudgetResponse {
  const { metadata, spec } = budget;
  return {
    namespace: metadata.namespace ?? 'default',
    name: metadata.name,
    minAvailable: textOf(spec?.minAvailable),
    maxUnavailable: textOf(spec?.maxUnavailable),
    unhealthyPodEvictionPolicy: spec?.unhealthyPodEvictionPolicy ?? 'IfHealthyBudget',
    outcome: sync.outcome,
    why: sync.outcome === 'unknown' ? sync.reason : sync.outcome === 'failed' ? sync.error : null,
    computed: sync.outcome === 'unknown' ? null : statusResponse(sync.status),
    stored: stored === undefined ? null : statusResponse(stored),
    differs,
    events: sync.outcome === 'unknown' ? [] : [...new Set(sync.events)],
    pods,
    arithmetic: arithmetic === undefined ? null : arithmeticResponse(arithmetic),
    text,
  };
}

const textOf = (value: number | string | null | undefined): string | null =>
  value === undefined || value === null ? null : String(value);

function statusResponse(status: BudgetStatus): BudgetStatusResponse {
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed, observedGeneration, disruptedPods } =
    status;
  const condition = disruptionAllowedOf(status);
  return {
    expectedPods,
    desiredHealthy,
    currentHealthy,
    disruptionsAllowed,
    observedGeneration,
    disruptedPods: [...disruptedPods.keys()].sort().slice(0, MAX_NAMED),
    condition:
      condition === undefined
        ? null
        : { status: condition.status, reason: condition.reason ?? '', message: condition.message ?? '' },
  };
}

function arithmeticResponse({ value, controllers, ...numbers }: BudgetArithmetic): BudgetArithmeticResponse {
  const named = controllers.slice(0, MAX_NAMED).map(({ kind, name, replicas }) => ({ kind, name, replicas }));
  return { ...numbers, value: textOf(value), controllers: named };
}
