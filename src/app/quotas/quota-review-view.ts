import type { NotJudged } from '../../core/admission/admit-known.js';
import type { Cause } from '../../core/kubernetes/admission-refusal.js';
import type { ResourceQuota } from '../../core/kubernetes/objects/quota.js';
import { quotaRaiseView, type QuotaRaiseView } from './quota-raise-view.js';
import type { Reviewed } from './review-quotas.js';

/**
 * - `admitted`: all of them are let in;
 * - `partly`: some are, then one is refused;
 * - `refused`: not one is;
 * - `frees`: fewer are wanted than there are;
 * - `unchanged`: as many are wanted as there are, or none;
 * - `unknown`: nothing refuses them, but what a plugin looks up was never loaded.
 */
export type QuotaReviewOutcome = 'admitted' | 'partly' | 'refused' | 'frees' | 'unchanged' | 'unknown';

export interface QuotaReviewView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly outcome: QuotaReviewOutcome;
  /** Pods to be made; negative where pods go. */
  readonly wanted: number;
  readonly admitted: number;
  /** Null where no quota ever stops them. */
  readonly fits: number | null;
  readonly refusal: {
    readonly by: string;
    readonly status: number;
    readonly message: string;
    readonly causes: readonly Cause[];
  } | null;
  readonly raises: readonly QuotaRaiseView[];
  readonly rooms: readonly {
    readonly quota: string;
    readonly resource: string;
    readonly hard: string;
    readonly used: string;
    readonly perPod: string;
    readonly fits: number;
  }[];
  /** Of the quotas that change: what they have used before and after. */
  readonly charges: readonly {
    readonly quota: string;
    readonly resource: string;
    readonly before: string;
    readonly after: string;
  }[];
  readonly notJudged: readonly NotJudged[];
  readonly notes: readonly string[];
}

export function reviewView(reviewed: Reviewed): QuotaReviewView {
  const { kind, namespace, name, wanted, admitted, fits, refusal, rooms, raises, notJudged, notes } = reviewed;
  return {
    kind,
    namespace,
    name,
    outcome: outcomeOf(reviewed),
    wanted,
    admitted,
    fits: fits ?? null,
    refusal: refusal ?? null,
    raises: raises.map(quotaRaiseView),
    rooms: rooms.map(({ hard, used, perPod, ...room }) => ({
      ...room,
      hard: hard.toString(),
      used: used.toString(),
      perPod: perPod.toString(),
    })),
    charges: reviewed.after.flatMap((quota, index) => chargesOf(reviewed.before[index]!, quota)),
    notJudged,
    notes,
  };
}

function outcomeOf({ wanted, admitted, refusal, notJudged }: Reviewed): QuotaReviewOutcome {
  if (refusal !== undefined) return admitted > 0 ? 'partly' : 'refused';
  if (wanted < 0) return 'frees';
  if (wanted === 0) return 'unchanged';
  return notJudged.length > 0 ? 'unknown' : 'admitted';
}

function chargesOf(before: ResourceQuota, after: ResourceQuota): QuotaReviewView['charges'] {
  if (before === after) return [];
  const was = new Map(Object.entries(before.status?.used ?? {}));
  return Object.entries(after.status?.used ?? {}).flatMap(([resource, amount]) =>
    was.get(resource) === amount
      ? []
      : [{ quota: after.metadata.name, resource, before: was.get(resource) ?? '0', after: amount }],
  );
}
