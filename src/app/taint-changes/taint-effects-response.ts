import type { Listed } from '../../core/collections/first-few.js';
import type { BudgetAtRisk, EffectWarning, PodEviction, TaintEffects } from '../../core/taint-effects/taint-effects.js';
import type {
  budgetAtRisk,
  effectWarning,
  podEviction,
  taintEffects,
} from '../../contract/taint-changes/taint-effects.js';
import type { Response } from '../../contract/schema.js';

/** Renders the effects of a taint change. */
export function taintEffectsResponse({
  evictions,
  workloads,
  warnings,
  notConsidered,
}: TaintEffects): Response<typeof taintEffects> {
  return {
    evictions: { ...evictions, pods: eachOf(evictions.pods, podEvictionResponse) },
    workloads,
    warnings: eachOf(warnings, warningResponse),
    notConsidered,
  };
}

function eachOf<Item, View>({ total, items }: Listed<Item>, view: (item: Item) => View): Listed<View> {
  return { total, items: items.map(view) };
}

function podEvictionResponse(eviction: PodEviction): Response<typeof podEviction> {
  const { seconds = null, at = null, because, note = null } = eviction;
  return {
    ...eviction,
    seconds,
    at,
    because: because === undefined ? null : { taint: because.taint, toleration: because.toleration?.field ?? null },
    note,
  };
}

function warningResponse(warning: EffectWarning): Response<typeof effectWarning> {
  const { code, message, nodes = null, workload = null, taints = [], zone = null, budget } = warning;
  return { code, message, nodes, workload, taints, zone, budget: budget === undefined ? null : budgetResponse(budget) };
}

function budgetResponse(budget: BudgetAtRisk): Response<typeof budgetAtRisk> {
  const { minAvailable, maxUnavailable, currentHealthy = null, disruptionsAllowed = null } = budget;
  return {
    ...budget,
    minAvailable: minAvailable === undefined ? null : String(minAvailable),
    maxUnavailable: maxUnavailable === undefined ? null : String(maxUnavailable),
    currentHealthy,
    disruptionsAllowed,
  };
}
