import type { Listed } from '../../core/collections/first-few.js';
import type { BudgetAtRisk, EffectWarning, PodEviction, TaintEffects } from '../../core/taint-effects/taint-effects.js';
import type {
  budgetAtRisk,
  effectWarning,
  podEviction,
  taintEffects,
} from '../../contract/taint-changes/taint-effects.js';
import type { PODS_VIEW } from '../../contract/common/group.js';
import type { Response } from '../../contract/schema.js';
import { groupEvictions, groupFeasibilities } from './effects-groups.js';

export type PodEvictionResponse = Response<typeof podEviction>;

/** Pods and workloads in groups of those that are equal, or one by one; undefined for both. */
export type EffectsView = (typeof PODS_VIEW)['values'][number] | undefined;

/** Renders the effects of a taint change. */
export function taintEffectsResponse(
  { evictions, workloads, warnings, notConsidered }: TaintEffects,
  view: EffectsView,
): Response<typeof taintEffects> {
  const pods = eachOf(evictions.pods, podEvictionResponse);
  const { entries } = workloads;
  return {
    evictions: { ...evictions, ...inViews('pods', pods, () => groupEvictions(pods.items), view) },
    workloads: { ...workloads, ...inViews('entries', entries, () => groupFeasibilities(entries.items), view) },
    warnings: eachOf(warnings, warningResponse),
    notConsidered,
  };
}

/** A list in its two views, of which the one that is not wanted is only counted. @param groups called if they are wanted */
function inViews<const Name extends string, Item, Group>(
  name: Name,
  listed: Listed<Item>,
  groups: () => readonly Group[],
  view: EffectsView,
): { readonly groups: readonly Group[] } & Readonly<Record<Name, Listed<Item>>> {
  return {
    groups: view === 'pods' ? [] : groups(),
    ...({ [name]: view === 'groups' ? { ...listed, items: [] } : listed } as Record<Name, Listed<Item>>),
  };
}

function eachOf<Item, View>({ total, items }: Listed<Item>, view: (item: Item) => View): Listed<View> {
  return { total, items: items.map(view) };
}

export function podEvictionResponse(eviction: PodEviction): PodEvictionResponse {
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
