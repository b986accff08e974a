import type { Int64 } from '../kubernetes/objects/meta.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import { disruptionAllowedOf, statusOf, withDisruptionAllowed, type BudgetStatus } from './budget-status.js';

/** The fields of a pod that the Eviction API reads. */
export interface EvictedPod {
  readonly name: string;
  readonly phase: string;
  readonly terminating: boolean;
  /** Whether the condition Ready is True. */
  readonly ready: boolean;
}

/** The fields of a budget that the Eviction API reads. */
export interface GuardingBudget {
  readonly name: string;
  readonly generation: Int64;
  readonly unhealthyPodEvictionPolicy?: string | undefined;
  readonly status: BudgetStatus;
}

/** A stored budget for the Eviction API, optionally with another status. */
export function guardOf(budget: PodDisruptionBudget, status = statusOf(budget)): GuardingBudget {
  const { metadata, spec } = budget;
  return {
    name: metadata.name,
    generation: metadata.generation ?? 0,
    unhealthyPodEvictionPolicy: spec?.unhealthyPodEvictionPolicy,
    status,
  };
}

/** Why an eviction is granted; a stable code. */
export type EvictionGrant =
  /** The pod is Pending, has ended, or is already terminating: no budget is checked. */
  | 'budgetNotAsked'
  /** No budget selects the pod. */
  | 'noBudget'
  /** The pod is not ready, and its budget always allows evictions of such pods. */
  | 'unreadyAlwaysAllowed'
  /** The pod is not ready, and its budget requires at least one healthy pod and has as many as it requires. */
  | 'unreadyBudgetHealthy'
  /** The eviction uses one of the disruptions that the budget allows. */
  | 'disruptionUsed';

/** Why an eviction is refused. */
export type EvictionRefusal =
  'severalBudgets' | 'statusBehind' | 'disruptionsNegative' | 'tooManyDisrupted' | 'noDisruptionLeft';

/** The response of the Eviction API. */
export type EvictionReview =
  | {
      readonly allowed: true;
      readonly why: EvictionGrant;
      /** The status of the budget afterwards, if a disruption was used. */
      readonly status?: BudgetStatus;
    }
  | {
      readonly allowed: false;
      readonly why: EvictionRefusal;
      /** An eviction with status code 429 may be retried; 403 and 500 are final. */
      readonly code: 403 | 429 | 500;
      readonly reason: '' | 'Forbidden' | 'TooManyRequests';
      readonly message: string;
      readonly causes: readonly { readonly reason: string; readonly message: string }[];
      readonly retryAfterSeconds?: number;
    };

/**
 * The maximum number of granted evictions that the disruption controller has not observed yet; with more, no further eviction
 * is granted.
 */
const MAX_DISRUPTED_PODS = 2000;

/**
 * The response of the Eviction API for a pod.
 *
 * The API uses the stored status of a budget, however old it is. More than one budget is a server error with code 500, even if
 * each of them would allow the eviction.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/storage/eviction.go, `Create`, `checkAndDecrement`.
 *
 * @param budgets the budgets of the pod's namespace whose selectors match its labels
 * @param now in milliseconds since the epoch
 */
export function reviewEviction(pod: EvictedPod, budgets: readonly GuardingBudget[], now: number): EvictionReview {
  if (isBudgetIgnored(pod)) return { allowed: true, why: 'budgetNotAsked' };
  const [budget, another] = budgets;
  if (budget === undefined) return { allowed: true, why: 'noBudget' };
  if (another !== undefined) return SEVERAL_BUDGETS;
  if (!pod.ready) {
    if (budget.unhealthyPodEvictionPolicy === 'AlwaysAllow') return { allowed: true, why: 'unreadyAlwaysAllowed' };
    const { currentHealthy, desiredHealthy } = budget.status;
    if (currentHealthy >= desiredHealthy && desiredHealthy > 0) return { allowed: true, why: 'unreadyBudgetHealthy' };
  }
  return useDisruption(pod, budget, now);
}

/** Whether budgets are not checked for a pod (`canIgnorePDB`). */
export function isBudgetIgnored({ phase, terminating }: Pick<EvictedPod, 'phase' | 'terminating'>): boolean {
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || terminating;
}

/** `checkAndDecrement`. */
function useDisruption(pod: EvictedPod, { name, generation, status }: GuardingBudget, now: number): EvictionReview {
  if (BigInt(status.observedGeneration) < BigInt(generation)) {
    const cause = `The disruption budget ${name} is still being processed by the server.`;
    return { ...tooManyRequests('statusBehind', cause), retryAfterSeconds: 10 };
  }
  if (status.disruptionsAllowed < 0) {
    return forbidden('disruptionsNegative', name, 'pdb disruptions allowed is negative');
  }
  if (status.disruptedPods.size > MAX_DISRUPTED_PODS) {
    const detail = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    return forbidden('tooManyDisrupted', name, detail);
  }
  if (status.disruptionsAllowed === 0) return tooManyRequests('noDisruptionLeft', causeOf(name, status));
  const used = {
    ...status,
    disruptionsAllowed: status.disruptionsAllowed - 1,
    disruptedPods: new Map([...status.disruptedPods, [pod.name, new Date(now).toISOString()]]),
  };
  return {
    allowed: true,
    why: 'disruptionUsed',
    status: used.disruptionsAllowed === 0 ? withDisruptionAllowed(used, now) : used,
  };
}

const MESSAGE = "Cannot evict pod as it would violate the pod's disruption budget.";

const SEVERAL_BUDGETS: EvictionReview = {
  allowed: false,
  why: 'severalBudgets',
  code: 500,
  reason: '',
  message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  causes: [],
};

type Refused = Extract<EvictionReview, { allowed: false }>;

function tooManyRequests(why: EvictionRefusal, cause: string): Refused {
  const causes = [{ reason: 'DisruptionBudget', message: cause }];
  return { allowed: false, why, code: 429, reason: 'TooManyRequests', message: MESSAGE, causes };
}

function forbidden(why: EvictionRefusal, name: string, detail: string): Refused {
  const message = `poddisruptionbudget.policy "${name}" is forbidden: ${detail}`;
  return { allowed: false, why, code: 403, reason: 'Forbidden', message, causes: [] };
}

/**
 * Why a budget allows no disruption: first a failed sync, whose numbers are meaningless, then the numbers, then the condition.
 */
function causeOf(name: string, status: BudgetStatus): string {
  const condition = disruptionAllowedOf(status);
  const failed = condition?.status === 'False' && (condition.message ?? '') !== '' ? condition : undefined;
  const refused = `The disruption budget ${name} does not allow evicting pods currently`;
  if (failed?.reason === 'SyncFailed') return `${refused} because it failed sync: ${failed.message}`;
  if (status.currentHealthy <= status.desiredHealthy) {
    return `The disruption budget ${name} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`;
  }
  return failed === undefined ? refused : `${refused} (${failed.reason ?? ''}): ${failed.message}`;
}
