import type {
  BudgetArithmetic,
  BudgetField,
  BudgetPodCounts,
  BudgetStanding,
} from '../../core/disruption/budget-standing.js';
import { disruptionAllowedOf, type BudgetStatus } from '../../core/disruption/budget-status.js';
import type { Int64 } from '../../core/kubernetes/objects/meta.js';

export interface BudgetStatusView {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  readonly currentHealthy: number;
  readonly disruptionsAllowed: number;
  readonly observedGeneration: Int64;
  /** Names. */
  readonly disruptedPods: readonly string[];
  readonly condition: { readonly status: string; readonly reason: string; readonly message: string } | null;
}

export interface BudgetArithmeticView extends Omit<BudgetArithmetic, 'value' | 'controllers'> {
  readonly value: string | null;
  readonly controllers: readonly { readonly kind: string; readonly name: string; readonly replicas: number }[];
}

/** A budget as it stands, and as the disruption controller would have it now. */
export interface BudgetView {
  readonly namespace: string;
  readonly name: string;
  readonly minAvailable: string | null;
  readonly maxUnavailable: string | null;
  readonly unhealthyPodEvictionPolicy: string;
  readonly outcome: 'synced' | 'failed' | 'unknown';
  /** Why it is not known, or why the sync fails. */
  readonly why: string | null;
  /** Null where it is not known. */
  readonly computed: BudgetStatusView | null;
  /** Null where the budget has none. */
  readonly stored: BudgetStatusView | null;
  readonly differs: readonly BudgetField[];
  readonly events: readonly string[];
  readonly pods: BudgetPodCounts;
  readonly arithmetic: BudgetArithmeticView | null;
  readonly text: string;
}

/** At most so many names of pods, or controllers. */
const MOST_NAMED = 100;

export function budgetView({ budget, sync, stored, differs, pods, arithmetic, text }: BudgetStanding): BudgetView {
  const { metadata, spec } = budget;
  return {
    namespace: metadata.namespace ?? 'default',
    name: metadata.name,
    minAvailable: textOf(spec?.minAvailable),
    maxUnavailable: textOf(spec?.maxUnavailable),
    unhealthyPodEvictionPolicy: spec?.unhealthyPodEvictionPolicy ?? 'IfHealthyBudget',
    outcome: sync.outcome,
    why: sync.outcome === 'unknown' ? sync.reason : sync.outcome === 'failed' ? sync.error : null,
    computed: sync.outcome === 'unknown' ? null : statusView(sync.status),
    stored: stored === undefined ? null : statusView(stored),
    differs,
    events: sync.outcome === 'unknown' ? [] : [...new Set(sync.events)],
    pods,
    arithmetic: arithmetic === undefined ? null : arithmeticView(arithmetic),
    text,
  };
}

const textOf = (value: number | string | null | undefined): string | null =>
  value === undefined || value === null ? null : String(value);

function statusView(status: BudgetStatus): BudgetStatusView {
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed, observedGeneration, disruptedPods } =
    status;
  const condition = disruptionAllowedOf(status);
  return {
    expectedPods,
    desiredHealthy,
    currentHealthy,
    disruptionsAllowed,
    observedGeneration,
    disruptedPods: [...disruptedPods.keys()].sort().slice(0, MOST_NAMED),
    condition:
      condition === undefined
        ? null
        : { status: condition.status, reason: condition.reason ?? '', message: condition.message ?? '' },
  };
}

function arithmeticView({ value, controllers, ...numbers }: BudgetArithmetic): BudgetArithmeticView {
  const named = controllers.slice(0, MOST_NAMED).map(({ kind, name, replicas }) => ({ kind, name, replicas }));
  return { ...numbers, value: textOf(value), controllers: named };
}
