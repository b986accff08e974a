import type { Int64 } from '../kubernetes/objects/meta.js';
import type { PodDisruptionBudget } from '../kubernetes/objects/policy.js';
import { disruptionAllowedOf, statusOf, withDisruptionAllowed, type BudgetStatus } from './budget-status.js';

/** What the Eviction API reads of a pod. */
export interface EvictedPod {
  readonly name: string;
  readonly phase: string;
  readonly terminating: boolean;
  /** Whether the condition Ready is True. */
  readonly ready: boolean;
}

/** What it reads of a budget. */
export interface GuardingBudget {
  readonly name: string;
  readonly generation: Int64;
  readonly unhealthyPodEvictionPolicy?: string | undefined;
  readonly status: BudgetStatus;
}

/** A stored budget as the Eviction API reads it; with another status where that is given. */
export function guardOf(budget: PodDisruptionBudget, status = statusOf(budget)): GuardingBudget {
  const { metadata, spec } = budget;
  return {
    name: metadata.name,
    generation: metadata.generation ?? 0,
    unhealthyPodEvictionPolicy: spec?.unhealthyPodEvictionPolicy,
    status,
  };
}

/** Why an eviction is granted: a stable word. */
export type EvictionGrant =
  /** The pod is Pending, finished, or terminating already: no budget is looked at. */
  | 'budgetNotAsked'
  /** No budget selects the pod. */
  | 'noBudget'
  /** The pod is not ready, and its budget always allows the eviction of such pods. */
  | 'unreadyAlwaysAllowed'
  /** The pod is not ready, and its budget has all the healthy pods that it requires, and requires some. */
  | 'unreadyBudgetHealthy'
  /** The eviction uses one of the disruptions that the budget allows. */
  | 'disruptionUsed';

/** Why one is refused. */
export type EvictionRefusal =
  'severalBudgets' | 'statusBehind' | 'disruptionsNegative' | 'tooManyDisrupted' | 'noDisruptionLeft';

/** What the Eviction API answers. */
export type EvictionReview =
  | {
      readonly allowed: true;
      readonly why: EvictionGrant;
      /** The status that the budget is left with, where a disruption was used. */
      readonly status?: BudgetStatus;
    }
  | {
      readonly allowed: false;
      readonly why: EvictionRefusal;
      /** 429 may be tried again, 403 and 500 not. */
      readonly code: 403 | 429 | 500;
      readonly reason: '' | 'Forbidden' | 'TooManyRequests';
      readonly message: string;
      readonly causes: readonly { readonly reason: string; readonly message: string }[];
      readonly retryAfterSeconds?: number;
    };

/** Granted evictions that the disruption controller has not yet seen; more than these, and no further one is granted. */
const MAX_DISRUPTED_PODS = 2000;

/**
 * What the Eviction API answers to an eviction of a pod that `budgets` select (those of its namespace whose selector
 * matches its labels) at `now` (milliseconds since the epoch).
 *
 * It believes the stored status, however old. More than one budget is an error of the server, code 500, even for a pod
 * that either of them would let go.
 *
 * Source: k8s.io/kubernetes v1.36.2, pkg/registry/core/pod/storage/eviction.go, `Create`, `checkAndDecrement`.
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

/** Pods whose eviction disturbs nobody any more (`canIgnorePDB`). */
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

/** Why a budget allows nothing: a failed sync first, whose numbers mean nothing, then the numbers, then its condition. */
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
