import { counted } from '../collections/counted.js';
import type { ClusterState } from '../cluster/cluster-state.js';
import { defined } from '../collections/defined.js';
import { compare } from '../json/compare.js';
import type { IntOrString } from '../kubernetes/objects/meta.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import type { BudgetMatches } from './budget-matches.js';
import {
  budgetSelector,
  disruptionAllowedOf,
  statusOf,
  syncBudget,
  type BudgetPod,
  type BudgetStatus,
  type BudgetSync,
} from './budget-status.js';
import type { ControllerScale, ScaleSource } from './controller-scale.js';
import { scaledValue } from './scaled-value.js';

/** The status fields that a sync changes. */
export type BudgetField =
  | 'currentHealthy'
  | 'desiredHealthy'
  | 'expectedPods'
  | 'disruptionsAllowed'
  | 'observedGeneration'
  | 'disruptedPods'
  | 'condition';

/** How the numbers of a budget are calculated. */
export interface BudgetArithmetic {
  readonly rule: 'minAvailable' | 'maxUnavailable' | 'none';
  /** The value as written in the spec. */
  readonly value: IntOrString | null;
  /** The pods that the numbers are based on. */
  readonly expectedPods: number;
  /** The source of `expectedPods`: the replicas of controllers, the selected pods, or neither. */
  readonly expectedFrom: 'controllers' | 'pods' | 'nothing';
  readonly controllers: readonly ControllerScale[];
  /** `value` in pods, rounded up if it is a percentage; null for `none`. */
  readonly pods: number | null;
  readonly desiredHealthy: number;
  readonly currentHealthy: number;
  readonly disruptionsAllowed: number;
}

/** The numbers of pods that a budget selects. */
export interface BudgetPodCounts {
  readonly selected: number;
  readonly healthy: number;
  readonly notReady: number;
  readonly terminating: number;
  /** Ready, but their eviction was granted less than two minutes ago. */
  readonly evicting: number;
  /** Without a controller: they count as healthy, but as expected only if `minAvailable` is a number. */
  readonly unmanaged: number;
}

/** A stored budget, and the status that the disruption controller would write. */
export interface BudgetStanding {
  readonly budget: PodDisruptionBudget;
  readonly sync: BudgetSync;
  /** The stored status; undefined if the budget has none yet. */
  readonly stored: BudgetStatus | undefined;
  /** The fields in which the stored status differs from what the controller would write. Empty if that is not known. */
  readonly differs: readonly BudgetField[];
  readonly pods: BudgetPodCounts;
  /** Absent if the sync fails, or its result is not known. */
  readonly arithmetic?: BudgetArithmetic;
  /** The calculation as text, or why there is none. */
  readonly text: string;
}

/**
 * The status that the disruption controller would write for a stored budget at `now`, in milliseconds since the epoch.
 */
export function budgetStanding(
  state: ClusterState,
  matches: BudgetMatches,
  index: number,
  source: ScaleSource,
  now: number,
): BudgetStanding {
  const budget = matches.budgets[index]!;
  const compiled = budgetSelector(budget);
  const pods = Array.from(matches.podsOf(index), (pod) => budgetPodOf(state, pod)).sort(byName);
  const sync = syncStored(state, budget, 'error' in compiled ? compiled : { pods }, source, now);
  const stored = budget.status === undefined ? undefined : statusOf(budget);
  const arithmetic = arithmeticOf(budget, sync);
  return {
    budget,
    sync,
    stored,
    differs: sync.outcome === 'unknown' ? [] : differencesOf(stored, sync.status),
    pods: countPods(pods, sync.outcome === 'synced' ? sync.status : undefined),
    ...defined({ arithmetic }),
    text: arithmetic === undefined ? textWithout(sync) : arithmeticText(arithmetic),
  };
}

/** The controller's order is undefined; this fixed order makes the reported error deterministic. */
export const byName = (a: BudgetPod, b: BudgetPod): number => compare(a.name, b.name);

/** The fields of a stored pod that the disruption controller reads. */
export const budgetPodOf = ({ pods }: ClusterState, pod: number): BudgetPod => ({
  name: pods.name(pod),
  terminating: pods.terminating(pod),
  ready: pods.ready(pod),
  ownerReferences: pods.ownerReferences(pod),
});

function syncStored(
  state: ClusterState,
  budget: PodDisruptionBudget,
  selected: Parameters<typeof syncBudget>[1],
  source: ScaleSource,
  now: number,
): BudgetSync {
  if (!state.loadedKinds.has('Pod')) return { outcome: 'unknown', reason: 'no Pod is stored' };
  return syncBudget(budget, selected, source, now);
}

function arithmeticOf({ spec }: PodDisruptionBudget, sync: BudgetSync): BudgetArithmetic | undefined {
  if (sync.outcome !== 'synced') return undefined;
  const { maxUnavailable, minAvailable } = spec ?? {};
  const value = maxUnavailable ?? minAvailable ?? null;
  const rule = maxUnavailable !== undefined ? 'maxUnavailable' : minAvailable === undefined ? 'none' : 'minAvailable';
  const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = sync.status;
  const pods = value === null ? undefined : scaledValue(value, expectedPods);
  const fromPods = rule === 'minAvailable' && typeof value === 'number';
  return {
    rule,
    value,
    expectedPods,
    expectedFrom: rule === 'none' ? 'nothing' : fromPods ? 'pods' : 'controllers',
    controllers: sync.expected.controllers,
    pods: pods !== undefined && 'value' in pods ? pods.value : null,
    desiredHealthy,
    currentHealthy,
    disruptionsAllowed,
  };
}

/**
 * For instance `minAvailable 80% of 5 expected pods (Deployment web wants 5) rounds up to 4; 5 are healthy; 1
 * disruption is allowed`.
 */
function arithmeticText(sum: BudgetArithmetic): string {
  const { rule, value, pods, expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = sum;
  const allowed = `${currentHealthy} ${currentHealthy === 1 ? 'is' : 'are'} healthy; ${allowedText(disruptionsAllowed)}`;
  if (rule === 'none') return `neither minAvailable nor maxUnavailable is set: no pod is expected; ${allowed}`;
  const expected = `${counted(expectedPods, 'expected pod')}${controllersText(sum)}`;
  const rounds = (Number.parseInt(String(value), 10) * expectedPods) % 100 === 0 ? 'is' : 'rounds up to';
  const bound =
    typeof value === 'number' ? `${rule} ${value} of ${expected}` : `${rule} ${value} of ${expected} ${rounds} ${pods}`;
  const wanted = rule === 'minAvailable' ? '' : `, so ${desiredHealthy} must be healthy`;
  const none = expectedPods <= 0 ? '; without expected pods, no disruption is allowed' : '';
  return `${bound}${wanted}; ${allowed}${none}`;
}

/** Further controllers are only counted. */
const MAX_CONTROLLERS = 3;

function controllersText({ expectedFrom, controllers }: BudgetArithmetic): string {
  if (expectedFrom === 'pods') return ' (all that it selects)';
  if (controllers.length === 0) return '';
  const named = controllers
    .slice(0, MAX_CONTROLLERS)
    .map(({ kind, name, replicas }) => `${kind} ${name} wants ${replicas}`);
  const more = controllers.length - named.length;
  return ` (${[...named, ...(more > 0 ? [`${counted(more, 'other controller')} the rest`] : [])].join(', ')})`;
}

const allowedText = (count: number): string =>
  count === 0 ? 'no disruption is allowed' : `${counted(count, 'disruption')} ${count === 1 ? 'is' : 'are'} allowed`;

function textWithout(sync: BudgetSync): string {
  if (sync.outcome === 'unknown') return `not known: ${sync.reason}`;
  const error = sync.outcome === 'failed' ? sync.error : '';
  return `the sync fails (${error}): no disruption is allowed, and the other numbers are unchanged`;
}

const NUMBERS = ['currentHealthy', 'desiredHealthy', 'expectedPods', 'disruptionsAllowed'] as const;

function differencesOf(stored: BudgetStatus | undefined, computed: BudgetStatus): readonly BudgetField[] {
  if (stored === undefined) return [...NUMBERS, 'observedGeneration', 'condition'];
  const differs: BudgetField[] = NUMBERS.filter((field) => stored[field] !== computed[field]);
  if (BigInt(stored.observedGeneration) !== BigInt(computed.observedGeneration)) differs.push('observedGeneration');
  // The controller removes some, and adds none.
  if (stored.disruptedPods.size !== computed.disruptedPods.size) differs.push('disruptedPods');
  const [was, is] = [disruptionAllowedOf(stored), disruptionAllowedOf(computed)];
  if (was?.status !== is?.status || was?.reason !== is?.reason || (was?.message ?? '') !== (is?.message ?? '')) {
    differs.push('condition');
  }
  return differs;
}

function countPods(pods: readonly BudgetPod[], status: BudgetStatus | undefined): BudgetPodCounts {
  const ready = pods.filter((pod) => pod.ready && !pod.terminating).length;
  const healthy = status?.currentHealthy ?? ready;
  return {
    selected: pods.length,
    healthy,
    notReady: pods.filter((pod) => !pod.ready && !pod.terminating).length,
    terminating: pods.filter(({ terminating }) => terminating).length,
    evicting: ready - healthy,
    unmanaged: pods.filter(({ ownerReferences }) => !ownerReferences.some(({ controller }) => controller === true))
      .length,
  };
}
